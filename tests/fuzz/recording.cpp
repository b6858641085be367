// Recordings of strands. The header is put in front: damage there would else be all that is ever seen. The first byte says into
// how large chunks the rest is put; 0 leaves also these to the input.
#include "recording.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "fuzz/memory_file.hpp"
#include "work_and_span.hpp"
#include "written.hpp"

namespace {

using leat::sim::recording;
using leat::sim::strand_code;
using leat_fuzz::expect;

void expect_sound(const recording& r) {
  for (const auto word : r.words) {
    const bool leads_on = word.code() == strand_code::jump || word.code() == strand_code::fork ||
                          word.code() == strand_code::spawn || word.code() == strand_code::future;
    expect(!leads_on || word.payload() < r.words.size(), "a word leads out of the recording");
    expect(word.code() != strand_code::loop || word.payload() < r.loops.size(), "a word names no loop");
    expect(word.code() != strand_code::sums || word.payload() < r.all_sums.size(), "a word names no sums");
  }
  for (const recording::loop& l : r.loops) {
    std::uint64_t next = 0;
    for (const recording::block& b : r.blocks_of(l)) {
      expect(b.first + b.count <= l.iterations, "a block is beyond its loop's end");
      expect(b.first >= next || b.count == 0, "two blocks have an iteration in common");
      next = b.first + b.count;
    }
  }
  for (const recording::phase& p : r.phases)
    expect(!p.is_run || p.what < r.words.size(), "a run is out of the recording");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static leat_fuzz::memory_file file;
  const std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  leat_predict::stream one;
  one.bytes = rest;
  const std::string all =
      data[0] == 0 ? std::string(leat_predict::header) + rest : leat_predict::file_of({one}, data[0]);
  file.hold(std::as_bytes(std::span(all)));
  try {
    const recording r = leat::sim::read_recording(file.path());
    expect_sound(r);
    static_cast<void>(leat::sim::walk(r));
  } catch (const std::invalid_argument& e) {
    if (std::string(e.what()).find("the recorded times") == std::string::npos)
      leat_fuzz::expect_named(e.what(), file.path());
  }
  return 0;
}
