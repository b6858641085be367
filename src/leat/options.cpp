#include "leat/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <span>
#include <stdexcept>

#include "leat/topology/cpus.hpp"

namespace leat {

namespace {

// Spinning longer than a wake-up costs (7 us for the waker, 22 us for the sleeper) spares the busy workers the call.
constexpr std::uint64_t spin_us_default = 100;

// A signal costs both sides some 5 us; most requests are answered long before.
constexpr std::uint64_t interrupt_after_us_default = 50;

constexpr std::uint64_t deque_capacity_max = std::uint64_t{1} << 32;

constexpr std::array<std::string_view, 6> known_schedulers = {"channel",      "chase-lev",          "split-user",
                                                              "split-signal", "split-conservative", "split-half"};
constexpr std::array<std::string_view, 3> known_strategies = {"adaptive", "steal-one", "steal-half"};
constexpr std::array<std::string_view, 2> known_victims = {"random", "near"};

std::string quoted(std::string_view value) { return "'" + std::string(value) + "'"; }

// The value of an environment variable as a number, if it is set and not empty.
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

}  // namespace

std::span<const std::string_view> scheduler_names() { return known_schedulers; }

options options::resolved() const {
  options o = *this;

  std::string source = "workers";
  if (!o.workers) {
    o.workers = number_from("LEAT_NUM_WORKERS");
    if (o.workers) source = "LEAT_NUM_WORKERS";
  }
  const std::uint64_t cpus = topology::available_cpus();
  if (!o.workers) o.workers = std::min<std::uint64_t>(cpus, workers_max);
  check_range(*o.workers, 1, workers_max, source);

  source = "scheduler";
  if (!o.scheduler) {
    const char* text = std::getenv("LEAT_SCHEDULER");
    if (text != nullptr && *text != '\0') {
      o.scheduler = text;
      source = "LEAT_SCHEDULER";
    } else {
      o.scheduler = "channel";
    }
  }
  check_name(*o.scheduler, scheduler_names(), source);

  source = "spin_us";
  if (!o.spin_us) {
    o.spin_us = number_from("LEAT_SPIN");
    if (o.spin_us) source = "LEAT_SPIN";
  }
  if (!o.spin_us) o.spin_us = *o.workers > cpus ? 0 : spin_us_default;
  check_range(*o.spin_us, 0, spin_us_max, source);

  source = "spares";
  if (!o.spares) {
    o.spares = number_from("LEAT_SPARES");
    if (o.spares) source = "LEAT_SPARES";
  }
  if (!o.spares) o.spares = std::min<std::uint64_t>(*o.workers, spares_max);
  check_range(*o.spares, 0, spares_max, source);

  source = "interrupt_after_us";
  if (!o.interrupt_after_us) {
    o.interrupt_after_us = number_from("LEAT_INTERRUPT_AFTER");
    if (o.interrupt_after_us) source = "LEAT_INTERRUPT_AFTER";
  }
  if (!o.interrupt_after_us) o.interrupt_after_us = interrupt_after_us_default;
  check_range(*o.interrupt_after_us, 0, interrupt_after_us_max, source);

  source = "hang_report_s";
  if (!o.hang_report_s) {
    o.hang_report_s = number_from("LEAT_HANG_REPORT");
    if (o.hang_report_s) source = "LEAT_HANG_REPORT";
  }
  if (!o.hang_report_s) o.hang_report_s = 0;
  check_range(*o.hang_report_s, 0, hang_report_s_max, source);

  check_name(o.victims, known_victims, "victims");
  if (o.victims == "near" && !o.bind) {
    throw std::invalid_argument("leat: victims = 'near': workers that are not bound are near nobody; set bind");
  }

  check_name(o.strategy, known_strategies, "strategy");
  check_range(o.deque_capacity, 1, deque_capacity_max, "deque_capacity");
  return o;
}

}  // namespace leat
