// The recording of a process: begun by the first runtime if LEAT_PROFILE is set, and written when the process ends.
//
// Page with the rules PROFILE-1 to PROFILE-6, and the format of the file: docs/internals/profile.md.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leat/handshake/spin_lock.hpp"
#include "leat/platform/thread_view.hpp"
#include "leat/profile/request.hpp"
#include "leat/profile/runtime_log.hpp"
#include "leat/profile/sampler.hpp"

namespace leat::inline LEAT_ABI::profile {

/// Any thread. It is never destroyed. A forked child records nothing.
class recording {
 public:
  using platform = worker_log::platform;

  /// The recording; null where LEAT_PROFILE is not set, or is empty, and in a forked child. The first call begins it.
  /// \throws std::invalid_argument  the variable makes no sense
  /// \throws std::system_error      the file cannot be written, or no thread can be started
  static recording* of_process();

  /// A runtime begins. The parameters are those of runtime_log. Throws std::bad_alloc.
  runtime_log& add(std::string kind, std::uint32_t workers, std::string scheduler);

  const request& asked() const noexcept { return asked_; }

  /// Has `section` called at the end of the process, to add lines to the file. Throws std::bad_alloc.
  void add_section(void (*section)(std::FILE*));

 private:
  // A runtime, and its logs when the process ended.
  struct written {
    const runtime_log* runtime;
    std::vector<worker_log*> logs;
  };
  template <class F>
  static void each_log(const std::vector<written>& all, F f);

  /// As of_process.
  explicit recording(const char* text);

  static void begin();
  static void end() noexcept;

  std::vector<runtime_log*> runtimes() const;
  std::vector<worker_log*> logs() const;
  std::vector<void (*)(std::FILE*)> sections() const;
  void write() noexcept;
  void write_process(std::uint64_t now_ns) const;
  void write_runtimes(const std::vector<written>& all);
  void write_worker(std::size_t of, const worker_log& log);

  const std::uint64_t gap_cost_ns_;  // before the clock of the recording begins
  const request asked_;
  const std::uint64_t begun_ns_ = platform::now_ns();
  const std::uint64_t age_ns_ = leat::platform::process_age_ns();
  const leat::platform::process_usage used_ = leat::platform::read_usage();
  const std::optional<std::uint64_t> throttled_ns_;  // so far, when the recording began
  std::FILE* const file_;
  mutable handshake::spin_lock<platform> lock_;
  std::vector<std::unique_ptr<runtime_log>> runtimes_;
  std::vector<void (*)(std::FILE*)> sections_;
  sampler sampler_;
};

}  // namespace leat::inline LEAT_ABI::profile
