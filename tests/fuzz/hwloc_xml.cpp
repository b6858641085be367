// Machines in hwloc's XML, as HWLOC_XMLFILE names them. hwloc reads them, and leat what hwloc makes of them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <stdexcept>

#include "fuzz/memory_file.hpp"
#include "fuzz/sound_machine.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static leat_fuzz::memory_file file;
  static const bool named = ::setenv("HWLOC_XMLFILE", file.path().c_str(), 1) == 0 &&
                            ::setenv("HWLOC_HIDE_ERRORS", "2", 1) == 0;  // hwloc says little of what it refuses
  leat_fuzz::expect(named, "the environment cannot be set");
  file.hold(std::as_bytes(std::span(data, size)));
  try {
    const auto m = leat::topology::machine::of_host();
    leat_fuzz::expect_sound(m);
    leat_fuzz::expect(m.from() == leat::topology::machine::source::described, "a file is taken for this machine");
  } catch (const std::invalid_argument& e) {
    leat_fuzz::expect_named(e.what(), file.path());
  }
  return 0;
}
