// Messages of one run: each carries its kind and the number of its run. docs/internals/cluster.md, rules TRANSPORT.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "leat/cluster/transport.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// What a message is. Those of an engine come to `engine::deliver`; rank_run, `failure`, `cut` and
/// `bound_mail` have the others.
enum class mail_kind : std::uint32_t {
  request,  ///< engines messages and two-sided: a steal request
  pool,     ///< engine messages: a request that goes to the idle pool
  hand,     ///< engine messages: the manager hands a pooled request to a busy rank
  work,     ///< engines messages and two-sided: tasks, for the thief
  served,   ///< engine messages: to the manager: a request that it handed out was answered
  end,      ///< engines messages and two-sided: no rank has work
  partial,  ///< the result of a subtree of ranks, to its parent
  total,    ///< the result of all ranks, from the parent
  failed,   ///< the run failed; with the rank and the cause
  hold,     ///< a cut begins
  part,     ///< to rank 0: what a rank that holds has found, and what waits there
  go_on,    ///< the cut is over
  bound,    ///< an improvement of the bound that ranks share
  refusal,  ///< engine two-sided: there are no tasks for the thief
  token,    ///< engine two-sided: goes round the ring of ranks, to find out that none has work
};

/// Larger numbers are of no kind (TRANSPORT-5).
inline constexpr mail_kind mail_kind_last = mail_kind::token;

/// A message as the other side meant it: of the current run, with a kind that there is. What is in `body` its receiver
/// checks.
struct letter {
  rank_id from = 0;
  mail_kind kind = mail_kind::request;
  std::vector<std::byte> body;
};

/// TRANSPORT-5: this message cannot have been sent by a rank of this program, for this reason.
/// \throws std::runtime_error  always; the message names the sender, the kind and the reason
[[noreturn]] void refuse_letter(const letter&, std::string_view why);

/// Sends and receives the messages of one run at a time.
///
/// - TRANSPORT-4 A message of a run that is over is dropped; one of a run to come waits for it.
/// - TRANSPORT-5 A message that no rank of this program sends fails the run: its kind, its length, or the ranks that it
///   names cannot be. Ranks of another program, or a broken transport, send such. What is wrong in another way is not
///   seen.
///
/// Thread safety: none.
class mail {
 public:
  explicit mail(transport& by) noexcept : by_(by) {}

  /// From here on, messages are of this run. Runs are numbered upwards, alike on all ranks.
  void begin(std::uint32_t run);

  std::uint32_t run() const noexcept { return run_; }

  /// A message of the current run. Does not wait.
  void send(rank_id to, mail_kind kind, std::span<const std::byte> body = {});

  /// See transport::all_sent.
  bool all_sent() const noexcept { return by_.all_sent(); }

  /// Takes a message of this run, if one has come.
  /// \throws std::runtime_error  TRANSPORT-5
  bool receive(letter& into);

 private:
  struct dated {
    std::uint32_t run;
    letter inside;
  };

  transport& by_;
  std::uint32_t run_ = 0;
  std::vector<dated> early_;  // of runs to come, in order of arrival
  std::vector<std::byte> outgoing_;
  message incoming_;
};

}  // namespace leat::inline LEAT_ABI::ranks
