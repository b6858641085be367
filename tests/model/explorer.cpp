#include "model/explorer.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/state.hpp"
#include "model/world.hpp"

namespace leat::model {

namespace {

// The numbers of the states that were visited, by hash; open addressing, a power of two.
class visited {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  visited() : cells_(std::size_t{1} << 16) {}

  /// The number of the state with this hash: `number`, unless it has one already.
  std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t number) {
    if (2 * (count_ + 1) > cells_.size()) grow();
    cell& c = find(cells_, hash);
    if (c.number != none) return c.number;
    c = {hash, number};
    ++count_;
    return number;
  }

 private:
  struct cell {
    std::uint64_t hash = 0;
    std::uint32_t number = none;
  };

  static cell& find(std::vector<cell>& cells, std::uint64_t hash) {
    for (std::size_t i = hash;; ++i) {
      cell& c = cells[i & (cells.size() - 1)];
      if (c.number == none || c.hash == hash) return c;
    }
  }

  void grow() {
    std::vector<cell> more(cells_.size() * 2);
    for (const cell& c : cells_) {
      if (c.number != none) find(more, c.hash) = c;
    }
    cells_ = std::move(more);
  }

  std::vector<cell> cells_;
  std::size_t count_ = 0;
};

// How a state was first reached.
struct origin {
  std::uint32_t from;
  std::uint8_t actor;
  std::uint8_t choice;
};

class exploration {
 public:
  exploration(const client& c, std::size_t states_max) : world_(c), states_max_(states_max) {}

  report run() {
    std::vector<state> level{world_.initial()};
    origins_.push_back({0, 0, 0});
    known_.find_or_add(hash(level[0]), 0);
    std::uint32_t number = 0;
    while (!level.empty() && report_.violation.empty()) {
      std::vector<state> next_level;
      for (const state& s : level) {
        expand(s, number++, next_level);
        if (!report_.violation.empty()) break;
      }
      level = std::move(next_level);
    }
    report_.states = origins_.size();
    report_.steps = targets_.size();
    if (report_.violation.empty()) check_that_ends_are_near();
    return std::move(report_);
  }

 private:
  // Takes every step from state `number`; states are numbered in the order in which they are expanded.
  void expand(const state& s, std::uint32_t number, std::vector<state>& next_level) {
    first_target_.push_back(static_cast<std::uint32_t>(targets_.size()));
    for (unsigned actor = 0; actor < world_.actors(); ++actor) {
      for (unsigned choice = 0; choice <= runs_max; ++choice) {
        state after = s;
        outcome out;
        if (!world_.step(after, actor, choice, out)) continue;
        const auto fresh = static_cast<std::uint32_t>(origins_.size());
        const std::uint32_t found = known_.find_or_add(hash(after), fresh);
        targets_.push_back(found);
        if (found != fresh) continue;
        origins_.push_back({number, static_cast<std::uint8_t>(actor), static_cast<std::uint8_t>(choice)});
        if (out.violation.empty()) out.violation = world_.violation(after);
        if (!out.violation.empty()) return fail(std::move(out.violation), fresh);
        if (origins_.size() > states_max_) return fail("there are too many states", fresh);
        next_level.push_back(after);
      }
    }
    if (targets_.size() != first_target_.back()) return;
    ++report_.ends;
    ends_.push_back(number);
    if (std::string wrong = world_.violation_at_end(s); !wrong.empty()) fail("at the end " + std::move(wrong), number);
  }

  // Where every step leads away from all ends, nothing that somebody waits for need ever come.
  void check_that_ends_are_near() {
    first_target_.push_back(static_cast<std::uint32_t>(targets_.size()));
    const std::size_t states = origins_.size();
    std::vector<std::uint32_t> first_source(states + 2, 0);
    for (const std::uint32_t t : targets_) ++first_source[t + 2];
    for (std::size_t i = 2; i < first_source.size(); ++i) first_source[i] += first_source[i - 1];
    std::vector<std::uint32_t> sources(targets_.size());
    for (std::uint32_t from = 0; from < states; ++from) {
      for (std::uint32_t i = first_target_[from]; i < first_target_[from + 1]; ++i) {
        sources[first_source[targets_[i] + 1]++] = from;
      }
    }
    std::vector<bool> near(states, false);
    std::vector<std::uint32_t> open = ends_;
    for (const std::uint32_t e : ends_) near[e] = true;
    while (!open.empty()) {
      const std::uint32_t s = open.back();
      open.pop_back();
      for (std::uint32_t i = first_source[s]; i < first_source[s + 1]; ++i) {
        if (near[sources[i]]) continue;
        near[sources[i]] = true;
        open.push_back(sources[i]);
      }
    }
    const auto far = std::find(near.begin(), near.end(), false);
    if (far != near.end()) fail("no end can be reached any more", static_cast<std::uint32_t>(far - near.begin()));
  }

  // Takes the steps to state `number` again, this time in words.
  void fail(std::string violation, std::uint32_t number) {
    report_.violation = std::move(violation);
    std::vector<origin> steps;
    for (; number != 0; number = origins_[number].from) steps.push_back(origins_[number]);
    std::reverse(steps.begin(), steps.end());
    state s = world_.initial();
    for (const origin& o : steps) {
      outcome out;
      out.describe = true;
      world_.step(s, o.actor, o.choice, out);
      const unsigned workers = world_.run_by().workers;
      report_.trace += o.actor < workers ? numbered("w", o.actor) : o.actor == workers ? "manager" : "outside";
      report_.trace += ": " + out.text + "  " + world_.describe(s) + "\n";
    }
  }

  world world_;
  const std::size_t states_max_;
  report report_;
  visited known_;
  std::vector<origin> origins_;              // by number
  std::vector<std::uint32_t> first_target_;  // by number: where its steps begin in targets_
  std::vector<std::uint32_t> targets_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace

report explore(const client& c, std::size_t states_max) { return exploration(c, states_max).run(); }

}  // namespace leat::model
