#include "perfetto_trace.hpp"

#include "profile_times.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace leat::cli {

namespace {

constexpr int traced_process = 1;
constexpr std::uint64_t ns_per_us = 1000;

// The events of a profile, each on a line: some millions of them are no tree of JSON but text.
class trace_events {
 public:
  void add_name(const char* what, std::size_t thread, const std::string& name) {
    add(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"{}","args":{{"name":{}}}}})", traced_process, thread, what,
                    quoted(name)));
  }

  void add_order(std::size_t thread) {
    add(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})",
                    traced_process, thread, thread));
  }

  void add_interval(std::size_t thread, std::string_view name, std::uint64_t begin_ns, std::uint64_t end_ns) {
    add(fmt::format(R"({{"ph":"B","pid":{},"tid":{},"ts":{},"cat":"leat","name":"{}"}})", traced_process, thread,
                    in_us(begin_ns), name));
    add(fmt::format(R"({{"ph":"E","pid":{},"tid":{},"ts":{}}})", traced_process, thread, in_us(end_ns)));
  }

  [[nodiscard]] std::string text() && { return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n" + text_ + "\n]}\n"; }

 private:
  // Exact, as a double would not be.
  static std::string in_us(std::uint64_t ns) { return fmt::format("{}.{:03}", ns / ns_per_us, ns % ns_per_us); }

  static std::string quoted(const std::string& text) {
    return nlohmann::ordered_json(text).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }

  void add(const std::string& event) {
    if (!text_.empty()) text_ += ",\n";
    text_ += event;
  }

  std::string text_;
};

}  // namespace

std::string perfetto_trace(const profile& of) {
  trace_events events;
  std::size_t thread = 0;
  events.add_name("process_name", thread, of.program.empty() ? "leat" : of.program);
  for (const profiled_runtime& runtime : of.runtimes) {
    ++thread;
    events.add_name("thread_name", thread, fmt::format("{} {}: runs", runtime.kind, runtime.id));
    events.add_order(thread);
    for (const time_span& run : times_of(runtime).runs) events.add_interval(thread, "run", run.begin_ns, run.end_ns);
    for (const profiled_worker& worker : runtime.of_worker) {
      ++thread;
      events.add_name("thread_name", thread, fmt::format("{} {}: worker {}", runtime.kind, runtime.id, worker.number));
      events.add_order(thread);
      for (const profile_interval& i : worker.intervals) {
        if (i.what != cause::outside)
          events.add_interval(thread, cause_names[static_cast<std::size_t>(i.what)], i.begin_ns, i.end_ns);
      }
    }
  }
  return std::move(events).text();
}

}  // namespace leat::cli
