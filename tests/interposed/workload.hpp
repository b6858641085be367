// What is done while faults happen: everything public, with a ledger of what must come of it.
#pragma once

namespace leat_test::interposed {

/// Something that was wrong; no std::exception, so that it is not taken for one of leat's.
struct wrong {
  const char* what;
};

/// Two workers start, do some of everything, and stop. Throws wrong, or what leat throws.
void do_everything();

/// The same with what reads the machine: default and bound runtimes, the tree of the machine, memory on its domains. Prepares itself
/// for memory that hwloc must have.
void do_everything_of_the_machine();

/// Snapshots of a cluster of one rank.
void do_everything_with_files();

/// Objects that tasks were made with, and that still live.
long objects_alive() noexcept;

}  // namespace leat_test::interposed
