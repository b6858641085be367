// Machines in hwloc's XML, as HWLOC_XMLFILE names them. hwloc reads them, and leat what hwloc makes of them.
#include <hwloc.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "fuzz/hwloc_crash.hpp"
#include "fuzz/memory_file.hpp"
#include "fuzz/sound_machine.hpp"

// The sanitizer leaves crashes to libFuzzer, and so to hwloc_crash, and asks hwloc_crash whether its reports are of hwloc. hwloc
// forgets memory when it refuses a file.
extern "C" const char* __asan_default_options() {
  return "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_abort=0:detect_leaks=0:halt_on_error=0";
}

namespace {

/// What leat makes of the file: a machine, or the text of its refusal.
struct reading {
  std::optional<leat::topology::machine> machine;
  std::string refusal;
};

reading read_machine() {
  try {
    return {leat::topology::machine::of_host(), {}};
  } catch (const std::invalid_argument& e) {
    return {std::nullopt, e.what()};
  }
}

void judge(const reading& r, const leat_fuzz::memory_file& file) {
  if (!r.machine) return leat_fuzz::expect_named(r.refusal, file.path());
  leat_fuzz::expect_sound(*r.machine);
  leat_fuzz::expect(r.machine->from() == leat::topology::machine::source::described,
                    "a file is taken for this machine");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static leat_fuzz::memory_file file;
  static const bool begun = [] {
    leat_fuzz::hwloc_crash::watch();
    // As long as there is a topology, hwloc does not load its plugins anew for each other one.
    hwloc_topology_t kept = nullptr;
    leat_fuzz::expect(hwloc_topology_init(&kept) == 0, "hwloc does not begin");
    return ::setenv("HWLOC_XMLFILE", file.path().c_str(), 1) == 0 &&
           ::setenv("HWLOC_HIDE_ERRORS", "2", 1) == 0;  // hwloc says little of what it refuses
  }();
  leat_fuzz::expect(begun, "the environment cannot be set");
  file.hold(std::as_bytes(std::span(data, size)));
  // What hwloc crashes on is not kept (-1): other inputs are not to be made of it.
  reading made;
  if (!leat_fuzz::hwloc_crash::survived([&] { made = read_machine(); })) return -1;
  judge(made, file);
  return 0;
}
