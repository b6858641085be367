// What the manager of a place knows of its workers (thesis, 4.1.1), and how managers find the end of all tasks together (4.1.4). Pure:
// no atomics, no clock.
//
// Between places the end is found with Mattern's four counters. A worker counts the registered thieves of other places that it has
// answered, and says their number when it is registered. A manager counts the updates that come from other places. The head asks each
// manager for both sums; a manager answers when its place is idle. When the thieves answered in one wave are as many as the
// updates that had come in the wave before, no update was on its way between the two, and no place has had a task since.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::protocol {

/// The sums of a place, modulo 2^32: they are only compared, and differ by less than the number of workers.
struct outside {
  std::uint32_t answered = 0;  ///< registered thieves of other places
  std::uint32_t updates = 0;  ///< that came from other places
};

/// The manager's alone. Workers are counted within the place, from 0.
class census {
 public:
  /// What the manager has to do next.
  enum class step : std::uint8_t {
    none,
    ask,  ///< each other manager for its sums
    tell,  ///< the head the sums of this place
    over,  ///< tell worker 0 that no task is left
  };

  /// \param workers  how many there are in the place
  /// \param needed   how many of them must be registered before all are idle
  /// \param others   of the head: how many other places there are
  census(std::uint32_t workers, std::uint32_t needed, std::optional<std::uint32_t> others)
      : registered_(workers), answered_(workers), needed_(needed), others_(others) {}

  /// A worker is idle, and has answered so many registered thieves of other places in its life.
  step registers(std::uint32_t w, std::uint32_t answered) {
    sums_.answered += answered - answered_[w];
    answered_[w] = answered;
    if (!registered_[w]) {
      registered_[w] = true;
      ++count_;
    }
    if (!all_idle()) return step::none;
    if (others_ == 0u) return step::over;
    if (others_ && !asking_) return ask();
    return asked_ ? answer() : step::none;
  }

  /// An update: a worker has got a task.
  void unregisters(std::uint32_t w, bool from_outside) {
    sums_.updates += from_outside ? 1 : 0;
    if (!registered_[w]) return;
    registered_[w] = false;
    --count_;
  }

  /// The head asks for the sums.
  step asked() {
    asked_ = true;
    return all_idle() ? answer() : step::none;
  }

  /// Another manager tells the head its sums.
  step told(const outside& other) {
    --missing_;
    add(other);
    return wave_ends();
  }

  bool all_idle() const noexcept { return count_ == needed_; }
  const outside& sums() const noexcept { return sums_; }

 private:
  // The head begins a wave, and asks itself, too.
  step ask() {
    asking_ = true;
    missing_ = *others_;
    wave_ = {};
    asked_ = true;
    if (all_idle()) answer();
    return step::ask;
  }

  step answer() {
    asked_ = false;
    if (!others_) return step::tell;
    add(sums_);
    return wave_ends();
  }

  void add(const outside& o) {
    wave_.answered += o.answered;
    wave_.updates += o.updates;
  }

  step wave_ends() {
    if (missing_ != 0 || asked_) return step::none;
    const bool over = updates_before_ == wave_.answered;
    updates_before_ = wave_.updates;
    if (!over) return ask();
    updates_before_.reset();
    asking_ = false;
    return step::over;
  }

  std::vector<bool> registered_;
  std::vector<std::uint32_t> answered_;
  std::uint32_t needed_;
  std::uint32_t count_ = 0;
  outside sums_;
  bool asked_ = false;  // and has not answered yet
  std::optional<std::uint32_t> others_;
  // the head's
  bool asking_ = false;
  std::uint32_t missing_ = 0;  // other places that have not answered
  outside wave_;
  std::optional<std::uint32_t> updates_before_;  // of the last wave
};

}  // namespace leat::inline LEAT_ABI::protocol
