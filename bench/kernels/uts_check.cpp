#include "kernels/uts_check.hpp"

#include <sstream>

namespace leat::kernels::uts {

namespace {

std::string text(const tally& found) {
  std::ostringstream text;
  text << found.nodes() << " nodes, " << found.leaves << " leaves and depth " << found.max_depth;
  return text.str();
}

}  // namespace

void tally_check::take(std::string_view version, const tally& found) {
  latest_ = found;
  const bool known_count = !known_ || found.nodes() == known_->nodes;
  const bool as_before = !first_ || found == *first_;
  if (!first_) first_ = found;
  if (!failure_.empty() || (known_count && as_before)) return;

  std::ostringstream message;
  message << "the " << version << " traversal found " << text(found);
  if (!known_count) {
    message << ", but " << known_->name << " has " << known_->nodes << " nodes";
  } else {
    message << ", but the first traversal found " << text(*first_);
  }
  failure_ = message.str();
}

void tally_check::take_nodes(std::string_view version, std::uint64_t found) {
  if (!failure_.empty() || (!known_ && !first_)) return;
  const std::uint64_t right = known_ ? known_->nodes : first_->nodes();
  if (found == right) return;
  std::ostringstream message;
  message << "the " << version << " traversal found " << found << " nodes, but " << right << " are right";
  failure_ = message.str();
}

}  // namespace leat::kernels::uts
