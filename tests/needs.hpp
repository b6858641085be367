// Futures whose tasks get each other's results, drawn from a seed: tasks that need each other in a circle, and those that need
// such tasks, end with leat::deadlock; all others with what a serial program computes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "leat/protocol/random.hpp"

namespace leat_test {

/// Which task needs which.
class needs {
 public:
  /// \param circles  whether tasks may need each other in a circle, or themselves
  needs(std::uint64_t seed, bool circles) : of_(2 + leat::protocol::random(seed)() % 9), forms_(of_.size()) {
    leat::protocol::random draws(seed + 1);
    for (std::size_t i = 0; i < of_.size(); ++i) {
      forms_[i] = draws() % 3;
      for (std::size_t n = draws() % 4; n != 0; --n) {
        const std::size_t first = circles && draws() % 4 == 0 ? 0 : i + 1;
        if (first < of_.size()) of_[i].push_back(first + draws() % (of_.size() - first));
      }
    }
  }

  std::size_t size() const { return of_.size(); }
  const std::vector<std::size_t>& of(std::size_t i) const { return of_[i]; }
  std::uint64_t form(std::size_t i) const { return forms_[i]; }

  /// What task i gives; nothing if it comes to a circle.
  std::optional<std::uint64_t> result(std::size_t i) const {
    std::vector<char> begun(size());
    return result(i, begun);
  }

 private:
  std::optional<std::uint64_t> result(std::size_t i, std::vector<char>& begun) const {
    if (std::exchange(begun[i], char{1}) != 0) return std::nullopt;
    std::uint64_t sum = i + 1;
    for (const std::size_t n : of_[i]) {
      const auto needed = result(n, begun);
      if (!needed) return std::nullopt;
      sum += *needed;
    }
    begun[i] = 0;
    return sum;
  }

  std::vector<std::vector<std::size_t>> of_;
  std::vector<std::uint64_t> forms_;
};

/// Executes them as futures of Engine. Gives a text about the first task that does not end as it should; empty if all do.
template <class Engine>
class needs_run {
  using platform = typename Engine::platform;

 public:
  /// \param workers  as many tasks but one, as far as there are, are begun before any goes on
  /// \param inside   how the tasks wait: with wait::any they may come to lie on top of each other, so that more of them end with
  ///                leat::deadlock than those which come to a circle
  needs_run(const needs& n, std::size_t workers, leat::task::wait inside = leat::task::wait::own)
      : needs_(n), first_(std::min(n.size(), workers - 1)), inside_(inside) {}

  /// In a run.
  std::string operator()(leat::task::wait how) {
    for (std::size_t i = 0; i < needs_.size(); ++i)
      futures_.push_back(Engine::async([this, i] { return task(i); }).share());
    while (begun_.load(leat::platform::relaxed) < first_) wait_a_little();
    complete_.store(1, leat::platform::release);
    std::string wrong;
    for (std::size_t i = 0; i < needs_.size(); ++i) {
      std::optional<std::uint64_t> found;
      try {
        found = futures_[i].get(how);
      } catch (const leat::deadlock&) {
      }
      const bool may_end = inside_ == leat::task::wait::any && !found;
      if (!may_end && found != needs_.result(i) && wrong.empty())
        wrong = "task " + std::to_string(i) + (found ? " gives " + std::to_string(*found) : " ends by a deadlock");
    }
    return wrong;
  }

 private:
  static void wait_a_little() {
    Engine::poll();
    platform::yield();
  }

  std::uint64_t task(std::size_t i) {
    begun_.fetch_add(1, leat::platform::relaxed);
    while (complete_.load(leat::platform::acquire) == 0) wait_a_little();
    const auto& all = needs_.of(i);
    const auto sum = [this, &all](std::size_t first, std::size_t last) {
      std::uint64_t found = 0;
      for (; first < last; ++first) {
        platform::work_ns(static_cast<double>(all[first]) * 500);
        found += futures_[all[first]].get(inside_);
      }
      return found;
    };
    switch (needs_.form(i)) {
      case 0: return i + 1 + sum(0, all.size());
      case 1: {
        const auto [left, right] =
            Engine::fork_join([&] { return sum(0, all.size() / 2); }, [&] { return sum(all.size() / 2, all.size()); });
        return i + 1 + left + right;
      }
      default: {
        typename platform::template atomic<std::uint64_t> found{i + 1};
        typename Engine::task_group group;
        for (std::size_t n = 0; n < all.size(); ++n)
          group.spawn([&found, &sum, n] { found.fetch_add(sum(n, n + 1), leat::platform::relaxed); });
        group.wait(inside_);
        return found.load(leat::platform::relaxed);
      }
    }
  }

  const needs& needs_;
  std::vector<typename Engine::template shared_future<std::uint64_t>> futures_;
  const std::size_t first_;
  const leat::task::wait inside_;
  typename platform::template atomic<std::uint32_t> complete_{0};
  typename platform::template atomic<std::uint64_t> begun_{0};
};

}  // namespace leat_test
