#include "leat/cluster/rma_engine.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace leat::inline LEAT_ABI::ranks {

namespace {

// The words of a window. Behind them, a request word for each thief. Each has one writer at a time (the status its
// own rank, the answer the one victim that was asked, a request word its thief), so writes need no read-modify-write.
// The end word is written by one rank in each run (RMA-6). Only the counters are added to.
constexpr std::size_t status_at = 0;
constexpr std::size_t answer_at = 1;
constexpr std::size_t end_at = 2;      // the run that has ended
constexpr std::size_t counter_at = 3;  // and the next: of even and odd runs; on rank 0
constexpr std::size_t requests_at = 5;

constexpr rank_id counter_rank = 0;

// Longest pause between two tours that found nothing, in calls of seek: a few tens of microseconds.
constexpr std::uint32_t pause_max = 64;

// Runs use them in turn: the one of the next run is cleared while this one counts in the other.
constexpr std::size_t counter_of(std::uint32_t run) noexcept { return counter_at + run % 2; }

std::uint64_t word_at(transport& by, std::size_t word) {
  std::uint64_t value = 0;
  by.load(word, {&value, 1});
  return value;
}

}  // namespace

rma_engine::rma_engine(transport& by, const mail& post, rank_counters& counters, bool prefetch, victim_plan plan)
    : by_(by),
      post_(post),
      counters_(counters),
      ranks_(by.ranks()),
      prefetch_(prefetch),
      plan_(std::move(plan)),
      drawn_(by.rank()),
      tour_(by.rank(), by.ranks(), plan_),
      requests_(by.ranks()),
      answered_(by.ranks()) {
  by_.open_window(requests_at + ranks_, batch_bytes_max);
}

// The serial, and what was answered, go on from run to run: so an answer or a request that is still in a window is
// never taken for a new one. A read that a failed run left under way is waited for, and its value is dropped.
void rma_engine::begin() {
  asked_ = ahead_ = entered_ = told_ = ended_ = false;
  stale_read_ = reading_;
  pause_ = paused_ = 0;
  // RMA-8: of the last run, to which no rank adds any more, for the next one, which no rank has begun.
  if (by_.rank() == counter_rank) by_.store(counter_of(post_.run() + 1), 0);
}

// The status comes after both, as they change it. The end is read last, from this rank's own window.
void rma_engine::poll(work& mine) {
  answer_requests(mine);
  if (asked_) collect(mine);
  by_.store(status_at, status_word(post_.run(), mine.busy(), mine.shared()));
  ended_ = word_at(by_, end_at) == post_.run();
}

// O(ranks): all request words are copied, as no message says which one has changed. Each answer shares anew what is
// left, so several thieves may get work of one poll. The write brings the bytes before the word (transport::write).
void rma_engine::answer_requests(work& mine) {
  by_.load(requests_at, requests_);
  for (rank_id thief = 0; thief < ranks_; ++thief) {
    const std::uint64_t request = requests_[thief];
    // RMA-3: of this run only, and once.
    if (request == answered_[thief] || request >> 32 != post_.run()) continue;
    // Before the answer: whatever giving throws, this request gets no second one.
    answered_[thief] = request;
    answer_word said{static_cast<std::uint32_t>(request), mine.busy() ? answer::busy : answer::nothing, 0};
    batch_.clear();
    if (const std::size_t given = mine.give(batch_); given != 0) {
      counters_[rank_event::tasks_given] += given;
      counters_[rank_event::bytes_given] += batch_.size();
      said.what = answer::work;
      said.bytes = static_cast<std::uint32_t>(batch_.size());
    }
    by_.write(thief, batch_, answer_at, said.word());
  }
}

// An answer without work to a prefetch changes no tour: there is none under way.
void rma_engine::collect(work& mine) {
  const answer_word said = answer_word::in(word_at(by_, answer_at));
  if (said.serial != serial_) return;
  // Such would be read beyond the landing zone (TRANSPORT-5).
  if (said.what > answer::nothing || said.bytes > batch_bytes_max) {
    throw std::runtime_error("leat::cluster: an answer " + std::to_string(static_cast<unsigned>(said.what)) + " of " +
                             std::to_string(said.bytes) + " bytes, which no rank writes");
  }
  asked_ = false;
  const bool ahead = std::exchange(ahead_, false);
  if (said.what == answer::work) {
    // All of the bytes are there, as the word came after them. They are copied before the next request goes out, whose
    // answer lands in the same place.
    batch_.resize(said.bytes);
    by_.take_landed(batch_);
    counters_[rank_event::tasks_taken] += mine.take(batch_);
    ++counters_[rank_event::answers_work];
    ++counters_[steal_from(plan_.node_of, by_.rank(), victim_)];
    if (ahead) ++counters_[rank_event::prefetches_met];
    pause_ = paused_ = 0;
    return;
  }
  ++counters_[said.what == answer::busy ? rank_event::answers_busy : rank_event::answers_nothing];
  if (!ahead) follow(tour_.on_refusal(said.what));
}

// One step: takes a read that is there, or counts down the pause, or begins a tour. After the end, and after the
// counter told of it, only a read that is under way is still taken, so that settled() becomes true.
void rma_engine::seek() {
  if (asked_) return;  // poll collects the answer
  if (reading_) {
    const auto word = by_.take_read();
    if (!word) return;
    reading_ = false;
    if (!std::exchange(stale_read_, false) && !ended_) follow(tour_.on_status(status_in(*word, post_.run())));
    return;
  }
  if (ended_ || told_) return;
  if (paused_ != 0) {
    --paused_;
    return;
  }
  follow(tour_.begin());
}

// A rank with work is in no tour and not in the counter, so it asks without leaving that. One of several workers counts as at
// work while it looks for tasks, so a rank without any may come here, too (SEAT-3).
void rma_engine::running_low() {
  if (!prefetch_ || asked_ || reading_ || entered_ || told_ || ranks_ == 1) return;
  ++counters_[rank_event::prefetches];
  ahead_ = true;
  const bool neighbour = plan_.prefetch == victim_order::ring;
  ask(neighbour ? (by_.rank() + 1) % ranks_ : some_other(by_.rank(), ranks_, drawn_));
}

// Serials go over all victims, so that an answer tells which request it is for.
void rma_engine::ask(rank_id victim) {
  asked_ = true;
  victim_ = victim;
  ++counters_[rank_event::requests];
  by_.write(victim, {}, requests_at + by_.rank(), request_word(post_.run(), ++serial_));
}

// Before it asks, a rank takes its one back from the counter: the answer may be work, and a rank that may come to work
// must not be counted as idle (RMA-5). If the counter was full by then it asks no rank (RMA-6).
void rma_engine::follow(tour::move next) {
  switch (next.what) {
    case tour::act::read:
      reading_ = true;
      ++counters_[rank_event::status_reads];
      return by_.read(next.who, status_at);
    case tour::act::ask:
      if (!entered_ || leave()) ask(next.who);
      return;
    case tour::act::over: return idle_after_tour();
  }
}

// Pauses double, so that ranks without work do not slow down those that have some by reading their status all the time.
void rma_engine::idle_after_tour() {
  pause_ = std::min(std::max(2 * pause_, 1u), pause_max);
  paused_ = pause_;
  if (tour_.all_nothing() && !entered_) enter();
}

// An addition is the one call that waits for another rank (TRANSPORT-2). It returns what was there before, so exactly
// one rank sees that it has made the counter full.
void rma_engine::enter() {
  entered_ = true;
  if (by_.add(counter_rank, counter_of(post_.run()), 1) + 1 != ranks_) return;
  // Full: no rank has work or a request out, so none can come to have work. To itself, too: poll reads the end there.
  for (rank_id to = 0; to < ranks_; ++to) by_.write(to, {}, end_at, post_.run());
}

// Whether the run goes on. If not, this rank does not enter again, so that the counter reaches the number of ranks
// once, and each run has one rank that writes its end.
bool rma_engine::leave() {
  entered_ = false;
  told_ = by_.add(counter_rank, counter_of(post_.run()), ~std::uint64_t{0}) == ranks_;
  return !told_;
}

}  // namespace leat::inline LEAT_ABI::ranks
