// What the ranks found, on its way up the tree of ranks, and the result of all on its way down. Rules FAILURE,
// docs/internals/cluster.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include "leat/cluster/mail.hpp"
#include "leat/cluster/packing.hpp"
#include "leat/cluster/tree.hpp"
#include "leat/platform/thrown.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// One rank's part, for one run. Thread safety: none.
template <class Result, class Combine>
class result_tree {
 public:
  result_tree(mail& post, rank_id self, rank_id ranks, Combine& combine)
      : post_(post), self_(self), children_(children_of(self, ranks)), combine_(combine) {}

  static bool is_of(mail_kind kind) noexcept { return kind == mail_kind::partial || kind == mail_kind::total; }

  /// Takes a letter of such a kind; `result` becomes that of all ranks if the letter has it.
  /// \throws std::runtime_error  the letter is of another rank than that
  void hear(const letter& l, Result& result) {
    if (l.kind == mail_kind::partial) {
      if (std::ranges::find(children_, l.from) == children_.end() || partials_.size() == children_.size())
        refuse_letter(l, "is no result of a child");
      partials_.push_back(unpack_result<Result>(l.body));
      return;
    }
    if (self_ == 0 || l.from != parent_of(self_)) refuse_letter(l, "is no result of the parent");
    take_total(l.body, result);
  }

  /// Once what the children have found is here, combines it with what this rank has, and sends that on: up, or, from rank 0,
  /// down. To be called when the rank has no work and will get none, again and again.
  void combine(Result& result) {
    if (sent_ || partials_.size() != children_.size()) return;
    // In the order in which they came: combine is commutative.
    for (auto&& partial : partials_) result = combine_(std::move(result), Result(std::move(partial)));
    std::vector<std::byte> body;
    packing<Result>::pack(result, body);
    if (self_ == 0) {
      take_total(body, result);
    } else {
      post_.send(parent_of(self_), mail_kind::partial, body);
      sent_ = true;
    }
  }

  /// Whether this rank has the result of all, and has sent it to those beneath.
  bool told() const noexcept { return told_; }

  /// Whether those beneath can have it without this rank, too. To be called again and again when it has been told.
  bool leaves() {
    letter late;  // and dropped: this rank needs nothing more. To receive is to make progress
    while (!post_.all_sent() && post_.receive(late)) {
    }
    return post_.all_sent();
  }

  /// \throws what unpacking the result of all did here
  void check() const {
    if (thrown_late_) std::rethrow_exception(thrown_late_);
  }

 private:
  void take_total(std::span<const std::byte> body, Result& result) {
    try {
      result = unpack_result<Result>(body);
    } catch (...) {
      if (self_ == 0) throw;
      thrown_late_ = platform::thrown();  // FAILURE-3: others have left
    }
    // Also what this rank could not unpack: those beneath may, and wait for it.
    for (const rank_id child : children_) post_.send(child, mail_kind::total, body);
    told_ = true;
  }

  mail& post_;
  const rank_id self_;
  const std::vector<rank_id> children_;
  Combine& combine_;
  std::vector<Result> partials_;  // of the children
  std::exception_ptr thrown_late_;  // FAILURE-3
  bool sent_ = false;  // what it found, to the parent
  bool told_ = false;
};

}  // namespace leat::inline LEAT_ABI::ranks
