#include "leat/strands/write_spans.hpp"

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include "leat/platform/profiled.hpp"
#include "leat/profile/recording.hpp"
#include "leat/strands/session.hpp"
#include "leat/strands/thread.hpp"

namespace leat::inline LEAT_ABI::strands {

namespace {

using P = platform::profiled;

// The name of the recording, never destroyed. Empty: nothing is recorded.
std::string& record_to() {
  static auto* const name = new std::string;
  return *name;
}

void say_not_written() { std::fprintf(stderr, "leat: the recording '%s' could not be written\n", record_to().c_str()); }

void end_profile(std::FILE* to) {
  if (!session<P>::on()) return;
  if (profile::recording::of_process()->asked().span) write_spans(to);
  if (!session<P>::end()) say_not_written();
}

// Begins a session if the environment asks for one, and returns whether it does.
bool begin_as_asked() {
  profile::recording* const all = profile::recording::of_process();
  if (all == nullptr || (!all->asked().span && !all->asked().record)) return false;
  if (all->asked().record) record_to() = all->asked().file + ".strands";
  all->add_section(end_profile);
  session<P>::workers_least = all->asked().workers;
  const std::uint64_t asked = all->asked().record_bytes;
  const std::uint64_t limit = asked == 0 ? recorded_size<P>::limit_default : asked;
  if (!session<P>::begin(all->asked().record ? record_to().c_str() : nullptr, limit)) say_not_written();
  return true;
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
    std::fprintf(to, "site %s:%" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", s->file.c_str(), s->line,
                 here.work, here.span, here.burdened, here.calls);
  }
}

// A failure is silent here: a runtime has begun before, and has thrown if the variable is wrong. Then nothing is measured.
template <>
bool session<P>::decide() noexcept {
  const lock::holding one(deciding);
  if (number() != undecided) return on();
  try {
    if (begin_as_asked()) return true;
  } catch (const std::exception&) {
  }
  turn_off();
  return false;
}

}  // namespace leat::inline LEAT_ABI::strands
