#include "leat/cluster/failure.hpp"

#include <span>
#include <utility>
#include <vector>

#include "leat/cluster/errors.hpp"
#include "leat/cluster/packing.hpp"

namespace leat::inline LEAT_ABI::ranks {

namespace {

// The text alone travels: an exception's type means nothing in another process.
std::string text_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

}  // namespace

// Only the first cause counts: a second exception, or one after another rank's failure, is dropped, as the run has one
// end. The other ranks have been told by then.
void failure::fail(std::exception_ptr thrown, std::uint64_t now_ns) {
  if (failed()) return;
  thrown_ = thrown;
  tell({self_, text_of(thrown)}, now_ns);
}

// Each other rank tells once, so the count says how many have nothing of this run on its way to here (FAILURE-2). The
// message names the rank where it began, which need not be the sender.
void failure::hear(const letter& l, std::uint64_t now_ns) {
  ++heard_;
  // The body is read only once, for the cause: the others of the kind are counted whatever is in them.
  if (failed()) return;
  std::span<const std::byte> rest(l.body);
  const auto rank = packing<rank_id>::unpack(rest);
  tell({rank, std::string(reinterpret_cast<const char*>(rest.data()), rest.size())}, now_ns);
}

// To every rank directly, not down a tree: a rank in the middle may be deep in a task, and FAILURE-2 counts one
// message of each. The wait of eight seconds begins here.
void failure::tell(cause why, std::uint64_t now_ns) {
  since_ns_ = now_ns;
  std::vector<std::byte> body;
  packing<rank_id>::pack(why.rank, body);
  const auto* const text = reinterpret_cast<const std::byte*>(why.what.data());
  body.insert(body.end(), text, text + why.what.size());
  for (rank_id to = 0; to < ranks_; ++to) {
    if (to != self_) post_.send(to, mail_kind::failed, body);
  }
  cause_ = std::move(why);
}

std::string failure::text() const { return rank_failed(cause_->rank, cause_->what).what(); }

// On the rank that failed the exception itself, with its type.
void failure::rethrow() const {
  if (thrown_) std::rethrow_exception(thrown_);
  throw rank_failed(cause_->rank, cause_->what);
}

}  // namespace leat::inline LEAT_ABI::ranks
