// Profiles of programs: what `leat explain` and `leat report` read.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "explanation.hpp"
#include "fuzz/expect.hpp"
#include "perfetto_trace.hpp"
#include "profile_file.hpp"
#include "profile_page.hpp"

namespace {

using leat_fuzz::expect;

void expect_explained(const leat::cli::profile& of) {
  const leat::cli::explanation found = leat::cli::explained(of, {});
  double before = 1;
  for (const leat::cli::profile_verdict& v : found.verdicts) {
    expect(std::isfinite(v.cost) && v.cost >= leat::cli::verdict_cost_min && v.cost <= before,
           "a cost is none, or out of order");
    expect(!v.key.empty() && !v.text.empty() && !v.advice.empty(), "a verdict says nothing");
    before = v.cost;
  }
  expect(!leat::cli::explanation_text(found).empty(), "an explanation says nothing");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const leat::cli::profile of = leat::cli::read_profile(text, "the file");
    expect_explained(of);
    const std::string page = leat::cli::profile_page(of);
    const std::size_t script = page.find("<script");
    expect(page.find("<script", script + 1) == std::string::npos, "a file has brought a script");
    expect(leat::cli::perfetto_trace(of).ends_with("]}\n"), "a trace is not whole");
  } catch (const std::invalid_argument& e) {
    leat_fuzz::expect_named(e.what(), "the file");
  }
  return 0;
}
