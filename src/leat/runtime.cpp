#include "leat/runtime.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "leat/describing.hpp"
#include "leat/entry/instances_of_scheduler.hpp"
#include "leat/profile/recording.hpp"
#include "leat/settings.hpp"
#include "leat/topology/cpus.hpp"

namespace leat::inline LEAT_ABI {

namespace {

// Numbers runtimes, so that worker_local can tell a runtime from an earlier one at the same address.
platform::chosen::atomic<std::uint64_t> runtimes_made{0};

#if defined(LEAT_ON_SYSTEM_THREADS)
// Of the process. constinit, as the default runtime may be made by a static constructor.
constinit handshake::budget<platform::chosen> cpus_of_process;

handshake::budget<platform::chosen>* shared_cpus(const options& o) {
  if (!*o.share_cpus) return nullptr;
  // Twice does no harm. No static variable's initialisation: a child that was forked meanwhile would wait for ever.
  static constinit platform::chosen::atomic<bool> ready{false};
  if (!ready.load(platform::acquire)) {  // pairs with the store
    cpus_of_process.set_cpus(topology::available_cpus());
    platform::chosen::on_fork([] { cpus_of_process.forget(); });
    ready.store(true, platform::release);
  }
  return &cpus_of_process;
}

profile::runtime_log* profile_of(const options& o, const scheduler::settings& s) {
  profile::recording* const all = profile::recording::of_process();
  if (all == nullptr) return nullptr;
  const char* const kind = s.primaries == 0 ? "runtime" : s.primaries == 1 ? "team" : "default";
  return &all->add(kind, s.at_once(), *o.scheduler);
}
#else
handshake::budget<platform::chosen>* shared_cpus(const options&) { return nullptr; }
profile::runtime_log* profile_of(const options&, const scheduler::settings&) { return nullptr; }
#endif

// As leat::settings_of, with what is not an option: a number that no other runtime has, and how many workers threads of the
// program are. Those are no nearer to one worker than to another.
scheduler::settings settings_of(const options& o, std::uint32_t primaries) {
  scheduler::settings s = settings_of(o);
#if LEAT_PLATFORM_NUMBER(LEAT_PLATFORM) == 1
  s.hangs.describe = text_of_process;
#endif
  s.primaries = primaries;
  if (primaries > 1) {
    s.workers += primaries - 1;
    s.distance = {};
  }
  s.number = runtimes_made.fetch_add(1, platform::relaxed);  // relaxed: a number
  s.profile = profile_of(o, s);
  return s;
}

}  // namespace

std::uint32_t entry::cap_of(const std::optional<std::uint64_t>& of) {
  if (!of) return uncapped<platform::chosen>;
  if (*of < 1 || *of > workers_max) {
    throw std::invalid_argument("leat::runtime::run: workers_max = " + std::to_string(*of) +
                                ": must be between 1 and " + std::to_string(workers_max));
  }
  return static_cast<std::uint32_t>(*of);
}

runtime::runtime(const leat::options& o) : runtime(o, 0) {}

// The options are kept by a unique_ptr until the scheduler stands: its constructor starts threads, and may throw. The
// scheduler copies what it needs of them into its settings, and does not refer to them.
runtime::runtime(const leat::options& o, std::uint32_t primaries) {
  auto resolved = std::make_unique<leat::options>(o.resolved());
  scheduler_ = std::make_unique<engine>(settings_of(*resolved, primaries), published::processors<platform>::of,
                                        shared_cpus(*resolved))
                   .release();
  try {
    list_runtime(*scheduler_, primaries == 0 ? "runtime" : "team", resolved->scheduler->c_str(),
                 *resolved->hang_report_s != 0);
  } catch (...) {
    delete scheduler_;
    throw;
  }
  options_ = resolved.release();
}

// The options go in any case, since no worker reads them.
runtime::~runtime() {
  const std::unique_ptr<const leat::options> options(options_);
  unlist_runtime(*scheduler_);
  // A task has called std::exit: no thread to wait for, and workers that may still use all of it.
  if (scheduler_->forked() || (scheduler_->submitted().close() && !scheduler_->under_way())) delete scheduler_;
}

std::uint64_t runtime::number() const noexcept { return scheduler_->config().number; }

std::uint32_t runtime::numbers() const noexcept { return scheduler_->config().workers; }

std::uint32_t runtime::workers() const noexcept { return scheduler_->config().at_once(); }

// Other threads go on counting meanwhile: each number is one that was true, and their sum may be of different
// moments.
counters runtime::counters() const { return scheduler_->read_counters(); }

counters runtime::counters(std::uint32_t worker) const {
  // What compensating workers count is in the total alone.
  if (worker >= workers())
    throw std::out_of_range("leat: counters of worker " + std::to_string(worker) + " of " + std::to_string(workers()));
  const std::uint32_t places = std::max(scheduler_->config().primaries, 1u);  // which count as worker 0
  if (worker != 0) return scheduler_->read_counters(worker + places - 1);
  leat::counters all;
  for (std::uint32_t p = 0; p != places; ++p) all += scheduler_->read_counters(p);
  return all;
}

const options& runtime::options() const noexcept { return *options_; }

}  // namespace leat::inline LEAT_ABI
