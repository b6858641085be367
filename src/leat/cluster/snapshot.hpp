// A run as it stood between two tasks, in a file: what has been found, and what is still to be done.
// docs/internals/cluster.md, rules SNAPSHOT.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI {

/// What is to be kept of a run, so that another can go on with it. A value; the same on all ranks.
struct snapshots {
  /// Where rank 0 writes, and reads; empty: nothing is kept. Of a symbolic link, what it names is written. While rank
  /// 0 writes, there is a new file beside, whose name begins with this one, a dot and the process's id: no file but
  /// this one is touched.
  std::string file;

  /// Microseconds between two snapshots, from the end of one to the beginning of the next; 0: none.
  std::uint64_t every_us = 0;

  /// Goes on with what the file holds, in place of the roots. Any number of ranks may.
  bool resume = false;

  /// What the run is about, for instance its parameters. A file of another name is not gone on with.
  std::string name = {};
};

namespace ranks {

/// What a snapshot holds. Tasks and results are packed.
struct snapshot {
  std::string name;
  std::vector<std::byte> result;  ///< one, of all that was done
  std::vector<std::byte> tasks;  ///< all that wait

  friend bool operator==(const snapshot&, const snapshot&) = default;
};

/// Puts a snapshot in place of what the file held, or leaves that as it was: whenever the machine stops, one of the
/// two is there as a whole.
/// \throws std::system_error  it cannot be written; the message names the file
void write(const std::string& file, const snapshot&);

/// Finds out whether `write` will be able to, and that nothing is lost by it: what there is of that name is a
/// snapshot of a run of this name, or empty.
/// \throws std::system_error   it cannot be written
/// \throws std::runtime_error  there is something else
void check_writable(const std::string& file, const std::string& name);

/// \throws std::system_error   the file cannot be read
/// \throws std::runtime_error  it is no snapshot, it is damaged, or it is of a run of another name
snapshot read(const std::string& file, const std::string& name);

}  // namespace ranks

}  // namespace leat::inline LEAT_ABI
