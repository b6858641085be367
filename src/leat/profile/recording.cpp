#include "leat/profile/recording.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "leat/platform/process_lock.hpp"
#include "leat/topology/cgroups.hpp"
#include "leat/topology/cpus.hpp"

namespace leat::inline LEAT_ABI::profile {

namespace {

constinit leat::platform::process_lock<leat::platform::chosen> beginning;
// Under `beginning`: the process that has begun, or is about to, with or without a recording; and that recording.
constinit std::uint64_t begun_in = 0;
constinit recording* of_this = nullptr;

constexpr std::uint64_t format = 1;

void put(std::FILE* to, std::string_view word) { std::fwrite(word.data(), 1, word.size(), to); }
void put(std::FILE* to, std::uint64_t number) {
  std::array<char, 20> digits;
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  put(to, std::string_view(digits.data(), written.ptr));
}

// The words of a line, with blanks between them.
template <class First, class... Rest>
void line(std::FILE* to, const First& first, const Rest&... rest) {
  put(to, first);
  ((put(to, " "), put(to, rest)), ...);
  put(to, "\n");
}

std::string_view letter_of(activity a) { return activity_letters.substr(index_of(a), 1); }

// How much sampling adds to each time between two operations, by the changes to the runtime's code and back. The least of
// some measurements.
std::uint64_t measured_gap_cost_ns() {
  constexpr int rounds = 16, changes = 64;
  worker_log scratch(0, 2 * changes, worker_log::platform::now_ns());
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < rounds; ++i) {
    const std::uint64_t begun = worker_log::platform::now_ns();
    for (int k = 0; k < changes; ++k) scratch.change(k % 2 == 0 ? activity::answering : activity::running);
    least = std::min(least, (worker_log::platform::now_ns() - begun) * 2 / changes);
  }
  return least;
}

// Another file, such as the program itself under the name of its profile, is not to be lost. An older profile is, and what is
// left of a program that was killed, which is empty.
void expect_no_other_file(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return;
  std::FILE* const file = std::fopen(path.c_str(), "r");
  if (file == nullptr) return;
  std::array<char, 12> begin{};
  const std::size_t size = std::fread(begin.data(), 1, begin.size(), file);
  std::fclose(file);
  const std::string_view text(begin.data(), size);
  if (size != 0 && !(text.starts_with("leat") && text.ends_with("profile")))  // its first two words, as written below
    throw std::invalid_argument("leat: LEAT_PROFILE = '" + path + "': is no profile, and is not overwritten");
}

std::FILE* open_to_write(const std::string& path) {
  expect_no_other_file(path);
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr)
    throw std::system_error(errno, std::generic_category(), "leat: LEAT_PROFILE = '" + path + "': cannot be written");
  return file;
}

}  // namespace

recording::recording(const char* text)
    : gap_cost_ns_(measured_gap_cost_ns()),
      asked_(read_request(text, platform::process_id())),
      throttled_ns_(topology::throttled_ns(topology::read_cpus().quota_group)),
      file_(open_to_write(asked_.file)),
      sampler_([this] { return logs(); }) {
  // One of an older program is not to be taken for this one's, which may be unable to record.
  if (asked_.record) std::remove((asked_.file + ".strands").c_str());
  sampler_.start();
}

void recording::begin() {
  const char* const text = std::getenv("LEAT_PROFILE");
  if (text == nullptr || *text == '\0') return;
  of_this = new recording(text);  // for good
  leat::platform::at_exit(end);
}

// A failed beginning is tried again by the next runtime. No static variable: a child that was forked while another thread
// was at it would wait for ever for that thread.
recording* recording::of_process() {
  const decltype(beginning)::holding alone(beginning);
  const std::uint64_t me = platform::process_id();
  if (begun_in == 0) {
    begun_in = me;
    try {
      begin();
    } catch (...) {
      begun_in = 0;
      throw;
    }
  }
  return begun_in == me ? of_this : nullptr;
}

runtime_log& recording::add(std::string kind, std::uint32_t workers, std::string scheduler) {
  auto made = std::make_unique<runtime_log>(std::move(kind), workers, std::move(scheduler));
  runtime_log& added = *made;
  const handshake::holding<platform> alone(lock_);
  runtimes_.push_back(std::move(made));
  return added;
}

void recording::add_section(void (*section)(std::FILE*)) {
  const handshake::holding<platform> alone(lock_);
  sections_.push_back(section);
}

// A copy, as a worker may still run and add one (PROFILE-6).
std::vector<void (*)(std::FILE*)> recording::sections() const {
  const handshake::holding<platform> alone(lock_);
  return sections_;
}

std::vector<runtime_log*> recording::runtimes() const {
  std::vector<runtime_log*> all;
  const handshake::holding<platform> alone(lock_);
  for (const auto& r : runtimes_) all.push_back(r.get());
  return all;
}

std::vector<worker_log*> recording::logs() const {
  std::vector<worker_log*> all;
  for (const runtime_log* r : runtimes()) {
    for (worker_log* log : r->logs()) all.push_back(log);
  }
  return all;
}

template <class F>
void recording::each_log(const std::vector<written>& all, F f) {
  for (const written& w : all) {
    for (worker_log* log : w.logs) f(*log);
  }
}

// PROFILE-6: a forked child has only a copy of the recording, and no sampler's thread.
void recording::end() noexcept {
  if (recording* const of = of_process()) of->write();
}

void recording::write() noexcept {
  sampler_.stop();
  try {
    std::vector<written> all;  // runtimes that begin from now on are left out
    for (const runtime_log* r : runtimes()) all.push_back({r, r->logs()});
    each_log(all, [](worker_log& log) { log.close(); });
    const std::uint64_t now = platform::now_ns();
    each_log(all, [now](worker_log& log) { log.end_at(now); });
    write_process(now);
    write_runtimes(all);
    for (void (*section)(std::FILE*) : sections()) section(file_);
    line(file_, "complete");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "leat: the profile '%s' is not complete: %s\n", asked_.file.c_str(), e.what());
  }
  const bool failed = std::ferror(file_) != 0;
  if (std::fclose(file_) != 0 || failed)
    std::fprintf(stderr, "leat: the profile '%s' could not be written\n", asked_.file.c_str());
}

void recording::write_process(std::uint64_t now_ns) const {
  const topology::cpus on = topology::read_cpus();
  const leat::platform::process_usage used = leat::platform::read_usage();
  line(file_, "leat", "profile", format);
  line(file_, "program", leat::platform::command_line());
  line(file_, "elapsed", now_ns - begun_ns_);
  line(file_, "before", age_ns_);
  line(file_, "cpus", on.allowed.size());
  line(file_, "quota", std::isinf(on.quota) ? "none" : std::to_string(on.quota));
  const auto throttled = topology::throttled_ns(on.quota_group);
  line(file_, "throttled", throttled ? std::to_string(*throttled - throttled_ns_.value_or(0)) : "none");
  line(file_, "usage", used.user_ns - used_.user_ns, used.system_ns - used_.system_ns,
       used.minor_faults - used_.minor_faults, used.major_faults - used_.major_faults);
  line(file_, "gap_cost", gap_cost_ns_);
}

void recording::write_runtimes(const std::vector<written>& all) {
  for (std::size_t i = 0; i < all.size(); ++i)
    line(file_, "runtime", i, all[i].runtime->kind(), all[i].runtime->workers(), all[i].runtime->scheduler());
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const worker_log* log : all[i].logs) write_worker(i, *log);
  }
}

void recording::write_worker(std::size_t of, const worker_log& log) {
  line(file_, "worker", of, log.number());
  log.counts().for_each([this](std::string_view name, std::uint64_t n) {
    if (n != 0) line(file_, "counter", name, n);
  });
  const sampled& s = sampler_.of(&log);
  line(file_, "ran", s.ran_ns);
  line(file_, "queued", s.queued_ns);
  line(file_, "samples", s.checks);
  for (const auto& [call, times] : s.calls) line(file_, "call", call, times);
  const auto& buckets = log.sampled_gaps();
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    if (buckets[b].count != 0) line(file_, "gap", b, buckets[b].count, buckets[b].ns);
  }
  const intervals& times = log.times();
  line(file_, "times", times.resolution_ns());
  line(file_, "at", times.begin_ns() - std::min(times.begin_ns(), begun_ns_));
  times.each([this](activity a, std::uint64_t ns) { line(file_, letter_of(a), ns); });
  for (std::size_t a = 0; a < activity_count; ++a) {
    const intervals::total& total = times.totals()[a];
    if (total.count != 0) line(file_, "sum", letter_of(static_cast<activity>(a)), total.ns, total.count);
  }
  line(file_, "end");
}

}  // namespace leat::inline LEAT_ABI::profile
