#include "leat/cluster.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "leat/cluster/alone.hpp"
#include "leat/cluster/messages_engine.hpp"
#include "leat/cluster/rma_engine.hpp"
#include "leat/cluster/two_sided_engine.hpp"
#include "leat/cluster/victims.hpp"

namespace leat::inline LEAT_ABI {

namespace {

// The order is that in which they are listed to users; nothing else depends on it.
constexpr std::array<std::string_view, 3> engines = {"messages", "rma", "two-sided"};
constexpr std::array<std::string_view, 3> victim_orders = {"last", "ring", "random"};
constexpr std::array<std::string_view, 2> prefetch_victims = {"random", "ring"};

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

void check_victims(const cluster_options& o) {
  if (!o.victims.empty() && !is_one_of(victim_orders, o.victims)) {
    throw std::invalid_argument("leat::cluster: victims = '" + o.victims + "': must be last, ring, random or empty");
  }
  if (!is_one_of(prefetch_victims, o.prefetch_victim)) {
    throw std::invalid_argument("leat::cluster: prefetch_victim = '" + o.prefetch_victim + "': must be random or ring");
  }
  if (o.ranks_per_node > ranks_max) {
    throw std::invalid_argument("leat::cluster: ranks_per_node = " + std::to_string(o.ranks_per_node) +
                                ": must be at most " + std::to_string(ranks_max));
  }
}

ranks::victim_order order_of(std::string_view name) {
  if (name == "ring") return ranks::victim_order::ring;
  return name == "random" ? ranks::victim_order::random : ranks::victim_order::last;
}

// Asks the transport for the nodes: all ranks do, or none.
ranks::victim_plan victim_plan_of(const ranks::transport& by, const cluster_options& o) {
  ranks::victim_plan plan;
  plan.node_of = o.ranks_per_node == 0
                     ? by.nodes()
                     : ranks::nodes_in_a_row(by.ranks(), static_cast<ranks::rank_id>(o.ranks_per_node));
  if (!plan.node_of.empty() && plan.node_of.size() != by.ranks()) {
    throw std::invalid_argument("leat::cluster: the transport says the nodes of " +
                                std::to_string(plan.node_of.size()) + " ranks; it has " + std::to_string(by.ranks()));
  }
  plan.order = order_of(o.victims.empty() && o.engine == "two-sided" ? "random" : o.victims);
  plan.prefetch = order_of(o.prefetch_victim);
  return plan;
}

void check_sharing(const cluster_options& o) {
  if (o.chunk > chunk_max) {
    throw std::invalid_argument("leat::cluster: chunk = " + std::to_string(o.chunk) + ": must be at most " +
                                std::to_string(chunk_max));
  }
  if (o.threshold != 0 && (o.threshold <= std::max<std::uint64_t>(o.chunk, 1) || o.threshold > chunk_max)) {
    throw std::invalid_argument("leat::cluster: threshold = " + std::to_string(o.threshold) +
                                ": must be 0, or more than the chunk, 2 or more, and at most " +
                                std::to_string(chunk_max));
  }
}

// Refuses options before anything is sent. The options are the same on all ranks, so all refuse alike, and no rank
// waits for one that has not come.
void check(const ranks::transport& by, const cluster_options& o) {
  if (!is_one_of(engines, o.engine)) {
    throw std::invalid_argument("leat::cluster: engine = '" + o.engine + "': must be messages, rma or two-sided");
  }
  if (o.poll_us > poll_us_max) {
    throw std::invalid_argument("leat::cluster: poll_us = " + std::to_string(o.poll_us) + ": must be at most " +
                                std::to_string(poll_us_max));
  }
  if (o.workers == 0 || o.workers > workers_max) {
    throw std::invalid_argument("leat::cluster: workers = " + std::to_string(o.workers) + ": must be 1 to " +
                                std::to_string(workers_max));
  }
  if (o.workers != 1 && !ranks::may_have_workers<platform::chosen>) {
    throw std::invalid_argument("leat::cluster: workers = " + std::to_string(o.workers) +
                                ": must be 1 here, where a process has one thread");
  }
  check_sharing(o);
  check_victims(o);
  if (by.ranks() > ranks_max) {
    throw std::invalid_argument("leat::cluster: " + std::to_string(by.ranks()) + " ranks: at most " +
                                std::to_string(ranks_max) + " may be");
  }
}

// The first initialiser asks it, as the later ones use the transport.
std::unique_ptr<ranks::transport> there_is(std::unique_ptr<ranks::transport> by) {
  if (by == nullptr) throw std::invalid_argument("leat::cluster: the transport is null");
  return by;
}

// Numbers that are out of range make one that nothing uses.
ranks::sharing sharing_of(const cluster_options& o) {
  const std::uint64_t twice = std::max<std::uint64_t>(2 * o.chunk, 2);
  return {static_cast<std::size_t>(o.chunk), static_cast<std::size_t>(o.threshold == 0 ? twice : o.threshold)};
}

// The workers of a rank, if they are several.
// A template, so that on a platform of one thread the team is not compiled at all.
template <class P>
std::shared_ptr<team> made_team(std::uint32_t workers) {
  if constexpr (ranks::may_have_workers<P>) {
    if (workers != 1) return std::make_shared<team>(options{.workers = workers});
  }
  return nullptr;
}

}  // namespace

std::span<const std::string_view> engine_names() noexcept { return engines; }
std::span<const std::string_view> victim_names() noexcept { return victim_orders; }
std::span<const std::string_view> prefetch_victim_names() noexcept { return prefetch_victims; }

// A transport of one rank, which sends to itself: a program without a launcher takes the same way through the engines
// as one with many ranks.
cluster::cluster(const cluster_options& o) : cluster(std::make_unique<ranks::alone>(), o) {}

// The options are checked only in the body, behind the members, which read none of them but poll_us; an out-of-range
// one makes a number that nothing uses, as `check` throws.
cluster::cluster(std::unique_ptr<ranks::transport> by, const cluster_options& o)
    : by_(there_is(std::move(by))),
      poll_ns_(1000 * o.poll_us),
      shares_(sharing_of(o)),
      counters_(std::make_unique<rank_counters>()),
      post_(std::make_unique<ranks::mail>(*by_)) {
  check(*by_, o);
  ranks::victim_plan plan = victim_plan_of(*by_, o);
  // Any other name was refused by `check`.
  if (o.engine == "rma") {
    moves_ = std::make_unique<ranks::rma_engine>(*by_, *post_, *counters_, o.prefetch, std::move(plan));
  } else if (o.engine == "two-sided") {
    moves_ = std::make_unique<ranks::two_sided_engine>(*by_, *post_, *counters_, std::move(plan));
  } else {
    // More attempts than ranks are all ranks, so the number may be cut to what 32 bits hold.
    const auto attempts = static_cast<std::uint32_t>(std::min<std::uint64_t>(o.attempts, ranks_max));
    moves_ = std::make_unique<ranks::messages_engine>(*by_, *post_, *counters_, attempts, std::move(plan));
  }
  try {
    team_ = made_team<platform::chosen>(o.workers);
  } catch (const std::exception& e) {
    // That a thread cannot be started happens on one rank alone.
    by_->abandon("leat::cluster: rank " + std::to_string(rank()) + ": " + e.what());  // the others would wait for it
    throw;
  }
}

// In the reverse order of the members: the team's threads end first, and the engine before the post and the
// transport, to which it refers.
cluster::~cluster() = default;

// What a caller can do wrong is found before anything changes. Runs are numbered on each rank by itself, alike since
// they are collective; a message of the next run that comes early is kept by its number (TRANSPORT-4). The engine
// begins after the post, as what it sends is of the new run.
ranks::rank_parts cluster::begin_run(const snapshots& keep) {
  if (keep.file.empty() && (keep.every_us != 0 || keep.resume)) {
    throw std::invalid_argument("leat::cluster: snapshots are asked for, but file = ''");
  }
  if (running_) throw std::logic_error("leat::cluster: a run inside a run");
  if (given_up_) throw std::logic_error("leat::cluster: a run failed, and not every rank heard of it in time");
  running_ = true;
  post_->begin(post_->run() + 1);
  moves_->begin();
  return {by_->rank(),
          by_->ranks(),
          *post_,
          *moves_,
          *counters_,
          poll_ns_,
          keep,
          shares_,
          by_->serves_any_thread(),
          team_ == nullptr ? 1 : team_->workers()};
}

// `running_` does not change while there are tasks, so one on any worker of the rank may find out that it is set.
void cluster::show_progress(std::uint64_t every_us, std::function<void(const rank_counters&)> show) {
  if (running_) throw std::logic_error("leat::cluster: show_progress inside a run");
  if (every_us == 0) show = nullptr;
  progress_ = {every_us, std::move(show)};
}

// Called where the team does not admit the thread: it is inside already, or is another one than the team's primary
// thread.
void cluster::refuse_thread() const {
  throw std::logic_error(team_->has_caller()
                             ? "leat::cluster: a run inside a run"
                             : "leat::cluster: a run on another thread than the one that made the cluster");
}

// Once true, `given_up_` stays: a rank that has not heard of the failure is still in that run, and cannot take part
// in another. The transport is told now, so that its end does not wait either.
void cluster::give_up_if(const std::string& left_behind) {
  if (left_behind.empty()) return;
  given_up_ = true;
  by_->abandon(left_behind);
}

}  // namespace leat::inline LEAT_ABI
