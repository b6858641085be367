// Descriptions of machines: "numa:4 core:4 pu:1".
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "fuzz/sound_machine.hpp"

namespace {

using leat::topology::machine;

// Larger machines take milliseconds to build. libFuzzer makes no others of them, as they are not kept (-1).
constexpr std::uint32_t units_kept_max = 256;

// The text that a machine whose domains of one level all look alike is made from.
std::string described(const machine& m) {
  std::string text;
  for (auto d = leat::topology::root_domain; !m[d].children.empty(); d = m[d].children.front()) {
    const auto& children = m[d].children;
    text += (text.empty() ? "" : " ") + m[children.front()].kind + ":" + std::to_string(children.size());
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const machine m = machine::synthetic(text);
    leat_fuzz::expect_sound(m);
    if (m.units() > units_kept_max) return -1;
    leat_fuzz::expect(machine::synthetic(described(m)) == m, "a machine is another one after it was described");
  } catch (const std::invalid_argument& e) {
    leat_fuzz::expect_named(e.what(), text);
  }
  return 0;
}
