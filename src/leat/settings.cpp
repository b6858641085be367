#include "leat/settings.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "leat/topology.hpp"
#include "leat/topology/places.hpp"

namespace leat::inline LEAT_ABI {

namespace {

// A victim that polls answers within a microsecond or two; one that does not should not keep the request.
constexpr std::uint64_t patience_ns_max = 20'000;

// Of a few workers, four are most. Of many, more are worth asking, as pooled requests go through one manager; but each
// that has nothing to give costs the thief a cache line.
constexpr std::uint32_t attempts_min = 4, attempts_max = 12;
constexpr std::uint32_t workers_per_attempt = 4;

// The domain of that kind that each unit is beneath. The kinds of a machine are known when its tree is read, so a wrong one is refused here.
std::vector<std::uint32_t> domains_of(const topology::machine& on, const std::vector<topology::unit_id>& units,
                                      const std::string& kind) {
  const auto depth = on.depth_of(kind);
  if (!depth) {
    std::string known;
    for (const topology::domain_id d : on.path(0)) known += (known.empty() ? "" : ", ") + on[d].kind;
    throw std::invalid_argument("leat: prell.places = '" + kind + "': the machine has no such domains; it has " +
                                known);
  }
  std::vector<std::uint32_t> domains;
  for (const topology::unit_id u : units) {
    const auto path = on.path(u);
    domains.push_back(path[std::min<std::size_t>(*depth, path.size() - 1)]);
  }
  return domains;
}

// Worker i is bound to the (i mod units)-th place: `bind_to` is used in turn by the workers themselves, and
// `distance` must count alike. The tree is shared by the copies of the function, since settings are copied, and lives
// as long as one of them.
void bind_workers(scheduler::settings& s, bool near, const std::string& places) {
  const auto on = std::make_shared<const topology::machine>(this_machine(s.workers));
  const std::vector<topology::unit_id> units = topology::places(*on);
  if (places != prell_options().places) {
    const std::vector<std::uint32_t> domains = domains_of(*on, units, places);
    for (std::uint32_t w = 0; w < s.workers; ++w) s.places.push_back(domains[w % domains.size()]);
  }
  // CPUs of another machine: no worker is bound, and all are equally near.
  if (on->from() != topology::machine::source::host) return;
  for (const topology::unit_id u : units) s.bind_to.push_back(on->cpu(u));
  if (!near) return;
  s.distance = [on, units](protocol::worker_id a, protocol::worker_id b) {
    return on->distance(units[a % units.size()], units[b % units.size()]);
  };
}

// The enumerator of a name that options::resolved has checked.
template <class Enum>
Enum choice(const std::string& name, std::span<const std::string_view> names) {
  return static_cast<Enum>(std::find(names.begin(), names.end(), name) - names.begin());
}

protocol::prell_choices choices_of(const prell_options& o, bool last_victim) {
  protocol::prell_choices c;
  c.last_victim = last_victim;
  c.tries = choice<protocol::tries>(o.tries, protocol::tries_names);
  c.refusal = choice<protocol::refusal>(o.refusal, protocol::refusal_names);
  c.polling = choice<protocol::polling>(o.polling, protocol::polling_names);
  c.termination = choice<protocol::termination>(o.termination, protocol::termination_names);
  c.barrier = choice<protocol::barrier_end>(o.barrier, protocol::barrier_end_names);
  c.ahead = o.ahead;
  c.samples = static_cast<std::uint32_t>(o.samples);
  return c;
}

}  // namespace

// Numbers were checked by options::resolved, so no product runs over: the largest is a day in nanoseconds.
scheduler::settings settings_of(const options& o) {
  scheduler::settings s;
  s.workers = static_cast<std::uint32_t>(*o.workers);
  s.spares = static_cast<std::uint32_t>(*o.spares);
  s.spin_ns = *o.spin_us * 1000;
  s.adapts_spin = *o.spin_us == spin_us_default;  // a program that sets another time has it
  // A thief waits for its victim while it spins, and takes the request back before it sleeps (REQUEST-4).
  s.patience_ns = std::min(s.spin_ns, patience_ns_max);
  s.published = protocol::published_of(*o.scheduler);
  // A quarter of the workers, within these bounds.
  s.attempts = std::clamp(s.workers / workers_per_attempt, attempts_min, attempts_max);
  if (s.patience_ns == 0) s.attempts = 0;  // no victim is asked for which the thief would not wait
  s.interrupt_after_ns = *o.interrupt_after_us * 1000;
  s.hangs.report_ns =
      *o.hang_report_s == hang_report_on_request ? waiting::report_on_request : *o.hang_report_s * 1'000'000'000;
  s.threads.name = *o.thread_name;
  s.threads.stack_bytes = *o.stack_size;
  if (o.thread_begin) s.threads.begin = o.thread_begin;
  if (o.thread_end) s.threads.end = o.thread_end;
  s.seed = o.seed;
  s.deque_capacity = o.deque_capacity;
  s.strategy = o.strategy == "steal-one"    ? protocol::strategy::steal_one
               : o.strategy == "steal-half" ? protocol::strategy::steal_half
                                            : protocol::strategy::adaptive;
  s.adaptive_interval = static_cast<std::uint32_t>(o.adaptive_steals);
  s.last_victim = *o.last_victim;
  s.prell = choices_of(o.prell, s.last_victim);
  // Only now: reading the tree costs milliseconds, which unbound workers need not pay.
  if (o.bind) bind_workers(s, o.victims == "near", o.prell.places);
  return s;
}

}  // namespace leat::inline LEAT_ABI
