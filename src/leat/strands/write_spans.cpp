#include "leat/strands/write_spans.hpp"

#include <cinttypes>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "leat/platform/profiled.hpp"
#include "leat/strands/session.hpp"
#include "leat/strands/thread.hpp"

namespace leat::inline LEAT_ABI::strands {

namespace {

using P = platform::profiled;

std::string profile_path;

void write_at_exit() {
  if (!profile_path.empty()) {
    if (std::FILE* const to = std::fopen(profile_path.c_str(), "a"); to != nullptr) {
      write_spans(to);
      std::fclose(to);
    }
  }
  session<P>::end();
}

}  // namespace

void write_spans(std::FILE* to) {
  const instant latest = accounts<P>::latest();
  taken all;
  accounts<P>::each([&all](const account<P>& a) { a.add_to(all); });
  std::fprintf(to, "span %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", all.work, latest.ns, latest.burdened,
               all.calls);
  for (const site<P>* s = sites<P>::all(); s != nullptr; s = s->next) {
    taken here;
    accounts<P>::each([&here, s](const account<P>& a) { a.add_to(here, *s); });
    if (here.calls == 0) continue;
    std::fprintf(to, "site %s:%" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", s->file, s->line, here.work,
                 here.span, here.burdened, here.calls);
  }
}

template <>
bool session<P>::decide() noexcept {
  const handshake::holding<P> one(gate);
  if (number != undecided) return number > off;
  const char* const asked = std::getenv("LEAT_PROFILE");
  const char* const comma = asked == nullptr ? nullptr : std::strchr(asked, ',');
  const bool spans = comma != nullptr && std::strstr(comma, ",span") != nullptr;
  const bool strands = comma != nullptr && std::strstr(comma, ",record") != nullptr;
  if (!spans && !strands) {
    begin_nothing();
    return false;
  }
  const std::string path(asked, static_cast<std::size_t>(comma - asked));
  profile_path = spans ? path : std::string();
  std::atexit(write_at_exit);
  return begin(strands ? (path + ".strands").c_str() : nullptr), true;
}

}  // namespace leat::inline LEAT_ABI::strands
