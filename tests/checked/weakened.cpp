// What the tests find when one order is weakened: LEAT_WEAKEN=FILE:LINE:ORDER in the environment says which. With LEAT_SITES=FILE,
// the places that name an order are written there in the end. mutants.py uses both.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include "leat/platform/site.hpp"

namespace {

using leat::platform::site;
using leat::platform::weakening;

const char* name(std::memory_order o) {
  switch (o) {
    case std::memory_order_acquire: return "acquire";
    case std::memory_order_release: return "release";
    case std::memory_order_acq_rel: return "acq_rel";
    case std::memory_order_seq_cst: return "seq_cst";
    default: return "relaxed";
  }
}

std::memory_order order(const std::string& name) {
  return name == "acquire"   ? leat::platform::acquire
         : name == "release" ? leat::platform::release
                             : leat::platform::relaxed;
}

class weakens_one : public testing::Environment {
 public:
  void SetUp() override {
    if (const char* const where = std::getenv("LEAT_WEAKEN")) {
      const std::string all = where;
      const auto line = all.find(':');
      const auto to = all.find(':', line + 1);
      weakening::weak = {all.substr(0, line), static_cast<std::uint32_t>(std::stoul(all.substr(line + 1))),
                         order(all.substr(to + 1))};
    }
    if (std::getenv("LEAT_SITES") != nullptr) weakening::seen = &seen_;
  }
  void TearDown() override {
    weakening::seen = nullptr;
    if (const char* const file = std::getenv("LEAT_SITES")) {
      std::ofstream out(file);
      for (const site& s : seen_) out << s.file << ' ' << s.line << ' ' << name(s.order) << '\n';
    }
  }

 private:
  std::set<site> seen_;
};

[[maybe_unused]] const auto* const added = testing::AddGlobalTestEnvironment(new weakens_one);

}  // namespace
