// Snapshots of a cluster's run. The first byte says how much of the file is put right first: damage that the sum tells would else
// be all that is ever seen.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/hurried_rank.hpp"
#include "fuzz/memory_file.hpp"
#include "leat/cluster/alone.hpp"

namespace {

using leat_fuzz::expect;
using bytes = std::vector<std::byte>;

constexpr std::string_view kind = "leat snapshot 1\n";
constexpr const char* run_name = "fuzz";

void append_number(bytes& to, std::uint64_t number) {
  std::array<std::byte, sizeof number> raw;
  std::memcpy(raw.data(), &number, sizeof number);
  to.insert(to.end(), raw.begin(), raw.end());
}

void append_part(bytes& to, std::span<const std::byte> part) {
  append_number(to, part.size());
  to.insert(to.end(), part.begin(), part.end());
}

bytes begun() {
  const auto first = std::as_bytes(std::span(kind));
  return {first.begin(), first.end()};
}

// FNV-1a, as the format has it.
void append_sum(bytes& to) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const std::byte b : to) sum = (sum ^ static_cast<std::uint64_t>(b)) * 0x100000001b3;
  append_number(to, sum);
}

bytes written(const leat::ranks::snapshot& s) {
  bytes file = begun();
  append_part(file, std::as_bytes(std::span(s.name)));
  append_part(file, s.result);
  append_part(file, s.tasks);
  append_sum(file);
  return file;
}

// Bit 0 of `repair`: the kind is put in front. Bit 1: the run's name, too. Bit 2: the sum is added.
bytes repaired(unsigned repair, std::span<const std::byte> raw) {
  bytes file;
  if ((repair & 1) != 0) file = begun();
  if ((repair & 2) != 0) append_part(file, std::as_bytes(std::span(std::string_view(run_name))));
  file.insert(file.end(), raw.begin(), raw.end());
  if ((repair & 4) != 0) append_sum(file);
  return file;
}

// A task with a text of its own, so that tasks differ in length.
struct errand {
  std::uint32_t depth = 0;
  std::string text;
};

std::uint64_t expanded(const errand& e, const std::function<void(errand)>& emit) {
  constexpr std::uint32_t depth_max = 3;  // no task has more than a few descendants
  if (e.depth < depth_max) emit(errand{e.depth + 1, e.text});
  return 1;
}

}  // namespace

template <>
struct leat::packing<errand> {
  static void pack(const errand& e, std::vector<std::byte>& out) {
    packing<std::uint32_t>::pack(e.depth, out);
    packing<std::uint8_t>::pack(static_cast<std::uint8_t>(e.text.size()), out);
    for (const char c : e.text) packing<char>::pack(c, out);
  }
  static errand unpack(std::span<const std::byte>& in) {
    errand e;
    e.depth = packing<std::uint32_t>::unpack(in);
    for (auto left = packing<std::uint8_t>::unpack(in); left != 0; --left) e.text += packing<char>::unpack(in);
    return e;
  }
};

namespace {

// Goes on with the file, on one rank. Returns why that failed; empty where it did not.
std::string resumed(const std::string& path) {
  leat::snapshots keep;
  keep.file = path;
  keep.name = run_name;
  keep.resume = true;
  leat_fuzz::hurried_rank<errand, decltype(&expanded)> alone(std::make_unique<leat::ranks::alone>(), "messages", 0,
                                                             &expanded, keep);
  alone.run().resume();
  constexpr std::uint32_t steps_max = 10'000;
  std::uint32_t steps = 0;
  while (!alone.run().step()) expect(++steps != steps_max, "a run that goes on does not end");
  std::string why;
  static_cast<void>(alone.result(why));
  return why;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static leat_fuzz::memory_file file;
  const bytes held = repaired(data[0], std::as_bytes(std::span(data + 1, size - 1)));
  file.hold(held);
  try {
    const leat::ranks::snapshot s = leat::ranks::read(file.path(), run_name);
    expect(s.name == run_name, "a snapshot of another run is read");
    expect(written(s) == held, "a snapshot is read that was never written so");
    if (const std::string why = resumed(file.path()); !why.empty()) leat_fuzz::expect_named(why, file.path());
  } catch (const std::runtime_error& e) {
    leat_fuzz::expect_named(e.what(), file.path());
  }
  return 0;
}
