#include "leat/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <span>
#include <stdexcept>

#include "leat/platform/native.hpp"
#include "leat/protocol/prell.hpp"
#include "leat/protocol/published.hpp"
#include "leat/topology/cpus.hpp"

namespace leat::inline LEAT_ABI {

namespace {

// A signal costs both sides some 5 us; most requests are answered long before.
constexpr std::uint64_t interrupt_after_us_default = 50;

// 256 GiB of slots: beyond any memory, and far below where a number of bytes would run over.
constexpr std::uint64_t deque_capacity_max = std::uint64_t{1} << 32;

constexpr auto known_schedulers = [] {
  std::array<std::string_view, protocol::schedulers.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = protocol::schedulers[i].name;
  return names;
}();
// What leat had before the papers' own schedulers, and which of these one comes nearest to.
struct renamed {
  std::string_view old_name;
  std::string_view name;
};
constexpr std::array<renamed, 5> renamed_schedulers = {{{"chase-lev", "work-stealing"},
                                                        {"split-user", "lcws-user"},
                                                        {"split-signal", "lcws-signal"},
                                                        {"split-conservative", "lcws-conservative"},
                                                        {"split-half", "lcws-half"}}};
constexpr std::array<std::string_view, 3> known_strategies = {"adaptive", "steal-one", "steal-half"};
constexpr std::array<std::string_view, 2> known_victims = {"random", "near"};

// In quotes, so that blanks and an empty value show.
std::string quoted(std::string_view value) { return "'" + std::string(value) + "'"; }

// The value of an environment variable as a number, if it is set and not empty.
// from_chars takes no sign, blank or prefix, and no locale: -1 is refused, and not a very large number. getenv is
// safe as long as no other thread sets variables, which is the program's affair.
std::optional<std::uint64_t> number_from(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return std::nullopt;
  const std::string_view view(text);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
  if (error == std::errc::result_out_of_range) {
    throw std::invalid_argument(std::string("leat: ") + variable + " = " + std::string(view) + ": out of range");
  }
  if (error != std::errc{} || end != view.data() + view.size()) {
    throw std::invalid_argument(std::string("leat: ") + variable + " = " + quoted(view) + ": must be a whole number");
  }
  return value;
}

// `name` is what the user wrote: the field of the options, or the variable.
void check_range(std::uint64_t value, std::uint64_t least, std::uint64_t most, const std::string& name) {
  if (value >= least && value <= most) return;
  throw std::invalid_argument("leat: " + name + " = " + std::to_string(value) + ": must be between " +
                              std::to_string(least) + " and " + std::to_string(most));
}

void check_name(const std::string& value, std::span<const std::string_view> names, const std::string& what) {
  if (std::find(names.begin(), names.end(), value) != names.end()) return;
  std::string known;
  for (const auto& name : names) known += (known.empty() ? "" : ", ") + std::string(name);
  throw std::invalid_argument("leat: " + what + " = " + quoted(value) + ": must be one of " + known);
}

bool is_shorter(const std::string& a, const std::string& b) { return a.size() < b.size(); }

// A number of the options: its name, the variable that may give it, and its bounds.
struct number_option {
  const char* name;
  const char* variable;
  std::uint64_t least;
  std::uint64_t most;
};

// What the program has set, else what the variable says, else `otherwise`. Throws std::invalid_argument, naming the field or the
// variable that is wrong.
// A variable is read only if the program has not set the field: a bad one does no harm to programs that decide for
// themselves.
void resolve(std::optional<std::uint64_t>& field, const number_option& of, std::uint64_t otherwise) {
  const char* source = of.name;
  if (!field) {
    field = number_from(of.variable);
    if (field) source = of.variable;
  }
  if (!field) field = otherwise;
  check_range(*field, of.least, of.most, source);
}

// As resolve, for a text. Returns what was the source.
const char* resolve(std::optional<std::string>& field, const char* name, const char* variable, const char* otherwise) {
  if (field) return name;
  const char* const text = std::getenv(variable);
  const bool given = text != nullptr && *text != '\0';
  field = given ? text : otherwise;
  return given ? variable : name;
}

// A word in place of the number.
void resolve_hang_report(std::optional<std::uint64_t>& field) {
  const char* const text = std::getenv("LEAT_HANG_REPORT");
  if (!field && text != nullptr && std::string_view(text) == "on-request") field = hang_report_on_request;
  if (field == hang_report_on_request) return;
  resolve(field, {"hang_report_s", "LEAT_HANG_REPORT", 0, hang_report_s_max}, 0);
}

void resolve_scheduler(std::optional<std::string>& field) {
  const char* const source = resolve(field, "scheduler", "LEAT_SCHEDULER", "channel");
  for (const renamed& r : renamed_schedulers) {
    if (*field == r.old_name) {
      throw std::invalid_argument("leat: " + std::string(source) + " = " + quoted(*field) + ": this scheduler is " +
                                  std::string(r.name) + " now");
    }
  }
  check_name(*field, known_schedulers, source);
}

void check_prell(const prell_options& p, const std::string& scheduler) {
  check_name(p.tries, protocol::tries_names, "prell.tries");
  check_name(p.refusal, protocol::refusal_names, "prell.refusal");
  check_name(p.polling, protocol::polling_names, "prell.polling");
  check_name(p.termination, protocol::termination_names, "prell.termination");
  check_name(p.barrier, protocol::barrier_end_names, "prell.barrier");
  check_range(p.samples, 1, workers_max, "prell.samples");
  if (p.places != prell_options().places && (p.termination == "root" || p.termination == "counter")) {
    throw std::invalid_argument("leat: prell.places = " + quoted(p.places) +
                                ": each has a manager, so prell.termination must be worker or dedicated, and it is " +
                                quoted(p.termination));
  }
  if (scheduler == "prell") return;
  const prell_options published;
  const auto refuse = [&scheduler](const char* option, const std::string& value) {
    throw std::invalid_argument("leat: prell." + std::string(option) + " = " + value +
                                ": takes the scheduler prell, and it is " + quoted(scheduler));
  };
  if (p.tries != published.tries) refuse("tries", quoted(p.tries));
  if (p.refusal != published.refusal) refuse("refusal", quoted(p.refusal));
  if (p.polling != published.polling) refuse("polling", quoted(p.polling));
  if (p.termination != published.termination) refuse("termination", quoted(p.termination));
  if (p.barrier != published.barrier) refuse("barrier", quoted(p.barrier));
  if (p.ahead) refuse("ahead", "true");
  if (p.samples != published.samples) refuse("samples", std::to_string(p.samples));
  if (p.places != published.places) refuse("places", quoted(p.places));
}

// The longest name that a thread will have must fit. Characters that no list of threads shows are refused.
void resolve_thread_name(options& o) {
  const char* const source = resolve(o.thread_name, "thread_name", "LEAT_THREAD_NAME", "leat");
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument("leat: " + std::string(source) + " = " + quoted(*o.thread_name) + ": " + why);
  };
  const auto shows = [](char c) { return c > ' ' && c <= '~'; };
  if (o.thread_name->empty() || !std::all_of(o.thread_name->begin(), o.thread_name->end(), shows))
    refuse("must be letters, digits or signs, without blanks");
  std::string longest = "-" + std::to_string(*o.workers - 1);
  if (*o.spares != 0) longest = std::max(longest, "-s" + std::to_string(*o.spares - 1), is_shorter);
  if (*o.hang_report_s != 0 && *o.hang_report_s != hang_report_on_request)
    longest = std::max(longest, std::string("-hang"), is_shorter);
  if (*o.scheduler != "channel" || *o.workers == 1) longest = std::max(longest, std::string("-sub"), is_shorter);
  if (o.thread_name->size() + longest.size() > thread_name_max)
    refuse("with " + quoted(longest) + " behind it, a thread's name has more than " + std::to_string(thread_name_max) +
           " characters");
}

void resolve_share_cpus(options& o) {
  const char* const source = o.share_cpus ? "share_cpus = true" : "LEAT_SHARE_CPUS = 1";
  if (!o.share_cpus) {
    std::optional<std::uint64_t> share;
    resolve(share, {"share_cpus", "LEAT_SHARE_CPUS", 0, 1}, 0);
    o.share_cpus = *share == 1;
  }
  if (*o.share_cpus && *o.scheduler != "channel") {
    throw std::invalid_argument("leat: " + std::string(source) + ": takes the scheduler channel, and it is " +
                                quoted(*o.scheduler));
  }
}

// A stack of 64 KiB has room for a worker that sleeps, polls and is interrupted; the tasks need more.
void resolve_stack_size(options& o) {
  const bool set = o.stack_size.has_value();
  resolve(o.stack_size, {"stack_size", "LEAT_STACK_SIZE", 0, stack_size_max}, 0);
  if (*o.stack_size == 0) return;
  const char* const source = set ? "stack_size" : "LEAT_STACK_SIZE";
  const auto page = std::uint64_t{platform::native::page_bytes()};
  check_range(*o.stack_size, std::max<std::uint64_t>(stack_size_min, platform::native::thread_stack_min()),
              stack_size_max, source);
  if (*o.stack_size % page != 0)
    throw std::invalid_argument("leat: " + std::string(source) + " = " + std::to_string(*o.stack_size) +
                                ": must be a multiple of the page, " + std::to_string(page));
}

}  // namespace

std::span<const std::string_view> scheduler_names() { return known_schedulers; }

// The order matters: the defaults of spin_us and spares follow from the number of workers, whether it was set, read
// or found. The CPUs are read in any case, a few files, as spin_us compares with them.
options options::resolved() const {
  options o = *this;

  const std::uint64_t cpus = topology::available_cpus();
  resolve(o.workers, {"workers", "LEAT_NUM_WORKERS", 1, workers_max}, std::min<std::uint64_t>(cpus, workers_max));
  resolve_scheduler(o.scheduler);
  // With more workers than CPUs a spinning worker would take the CPU that a working one needs.
  const std::uint64_t spin = *o.workers > cpus ? 0 : spin_us_default;
  resolve(o.spin_us, {"spin_us", "LEAT_SPIN", 0, spin_us_max}, spin);
  // As many as workers: if all of these block at once, as many still work.
  resolve(o.spares, {"spares", "LEAT_SPARES", 0, spares_max}, std::min<std::uint64_t>(*o.workers, spares_max));
  resolve(o.interrupt_after_us, {"interrupt_after_us", "LEAT_INTERRUPT_AFTER", 0, interrupt_after_us_max},
          interrupt_after_us_default);
  resolve_hang_report(o.hang_report_s);
  resolve_share_cpus(o);
  resolve_thread_name(o);
  resolve_stack_size(o);

  // These have no variable: a program sets them, or takes the default.
  check_name(o.victims, known_victims, "victims");
  if (o.victims == "near" && !o.bind) {
    throw std::invalid_argument("leat: victims = 'near': workers that are not bound are near nobody; set bind");
  }

  check_name(o.strategy, known_strategies, "strategy");
  check_range(o.adaptive_steals, 1, adaptive_steals_max, "adaptive_steals");
  if (o.last_victim && *o.scheduler != "channel" && *o.scheduler != "prell") {
    throw std::invalid_argument("leat: last_victim = " + std::string(*o.last_victim ? "true" : "false") +
                                ": the scheduler " + quoted(*o.scheduler) + " remembers none");
  }
  if (!o.last_victim) o.last_victim = *o.scheduler == "channel";
  check_prell(o.prell, *o.scheduler);
  if (o.prell.places != prell_options().places && !o.bind) {
    throw std::invalid_argument("leat: prell.places = " + quoted(o.prell.places) +
                                ": workers that are not bound are in no place; set bind");
  }
  check_range(o.deque_capacity, 1, deque_capacity_max, "deque_capacity");
  return o;
}

}  // namespace leat::inline LEAT_ABI
