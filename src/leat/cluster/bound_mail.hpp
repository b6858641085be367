// How improvements of a shared bound travel between ranks. docs/internals/cluster.md, rules BOUND.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "leat/cluster/mail.hpp"
#include "leat/cluster/shared_bound.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// One rank's part in telling of a bound, for one run.
///
/// - BOUND-2 A rank whose bound is better than the one that it told last tells its neighbours in the tree of ranks, but
///   not the one from which it has this value. So do they, and an improvement reaches all.
/// - BOUND-3 The bound begins each run anew. What another run told of it is dropped with that run's messages
///   (TRANSPORT-4).
///
/// Thread safety: none; the bound itself may be improved meanwhile.
class bound_mail {
 public:
  /// BOUND-3: makes the bound what it starts with.
  bound_mail(mail& post, rank_id self, rank_id ranks, shared_bound& bound);

  /// Takes a message of the kind `bound`.
  /// \throws std::runtime_error  TRANSPORT-5
  void hear(const letter&);

  /// BOUND-2. Costs a load where there is nothing to tell.
  void tell();

 private:
  struct heard {
    rank_id from;
    std::int64_t value;
  };

  mail& post_;
  shared_bound& bound_;
  std::vector<rank_id> neighbours_;
  std::int64_t told_;
  std::optional<heard> last_heard_;  // that improved the bound
};

/// What a run knows of its bound: how it travels, and for which value of it a result stands.
template <class Result>
class bounded_run {
 public:
  bounded_run(mail& post, rank_id self, rank_id ranks, shared_bound& bound,
              std::function<std::int64_t(const Result&)> value_of)
      : bound_(bound), value_of_(std::move(value_of)), mail_(post, self, ranks, bound) {}

  void hear(const letter& l) { mail_.hear(l); }
  void tell() { mail_.tell(); }

  /// BOUND-4: the run goes on with this result, of a snapshot.
  void go_on_with(const Result& kept) { bound_.improve(value_of_(kept)); }

  /// BOUND-1: the result of all ranks stands for the bound.
  /// \throws std::logic_error  it does not: some solution was pruned by, and is in no result
  void check(const Result& of_all) const {
    const std::int64_t known = bound_.read();
    const std::int64_t found = value_of_(of_all);
    if (!bound_.is_better(known, found) || known == bound_.start()) return;
    throw std::logic_error("leat::shared_bound: the bound is " + std::to_string(known) +
                           ", but the result stands for " + std::to_string(found) +
                           ": a task improved the bound, and its result does not hold the solution");
  }

 private:
  shared_bound& bound_;
  std::function<std::int64_t(const Result&)> value_of_;
  bound_mail mail_;
};

/// Takes a message of the kind `bound`.
/// \throws std::runtime_error  TRANSPORT-5, or the run has no bound
template <class Result>
void hear_bound(std::optional<bounded_run<Result>>& of, const letter& l) {
  if (!of) refuse_letter(l, "is of a bound, and this run has none");
  of->hear(l);
}

}  // namespace leat::inline LEAT_ABI::ranks
