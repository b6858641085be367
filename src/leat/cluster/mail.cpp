#include "leat/cluster/mail.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace leat::inline LEAT_ABI::ranks {

namespace {

// Travels as it lies in memory: all ranks are the same program on machines of one kind.
struct envelope {
  mail_kind kind;
  std::uint32_t run;
};

}  // namespace

// A run-time error, not a logic error of the program: another build of it may be among the ranks.
void refuse_letter(const letter& l, std::string_view why) {
  throw std::runtime_error("leat::cluster: a message of kind " + std::to_string(static_cast<std::uint32_t>(l.kind)) +
                           " and " + std::to_string(l.body.size()) + " bytes from rank " + std::to_string(l.from) +
                           " " + std::string(why));
}

void mail::begin(std::uint32_t run) {
  run_ = run;
  std::erase_if(early_, [run](const dated& d) { return d.run < run; });
}

// One buffer for all messages, as the transport copies.
void mail::send(rank_id to, mail_kind kind, std::span<const std::byte> body) {
  const envelope outside{kind, run_};
  outgoing_.resize(sizeof outside + body.size());
  std::memcpy(outgoing_.data(), &outside, sizeof outside);
  if (!body.empty()) std::memcpy(outgoing_.data() + sizeof outside, body.data(), body.size());
  by_.send(to, outgoing_);
}

// Early messages go first, in the order in which they came: none that comes now was sent before them by the same rank
// (TRANSPORT-1). One of an old run is dropped whatever else is in it.
bool mail::receive(letter& into) {
  const auto due = std::ranges::find(early_, run_, &dated::run);
  if (due != early_.end()) {
    into = std::move(due->inside);
    early_.erase(due);
    return true;
  }
  while (by_.receive(incoming_)) {
    envelope outside{};
    if (incoming_.bytes.size() < sizeof outside) {
      throw std::runtime_error("leat::cluster: a message of " + std::to_string(incoming_.bytes.size()) +
                               " bytes from rank " + std::to_string(incoming_.from) + " has no envelope");
    }
    std::memcpy(&outside, incoming_.bytes.data(), sizeof outside);
    if (outside.run < run_) continue;
    letter inside{incoming_.from, outside.kind, {incoming_.bytes.begin() + sizeof outside, incoming_.bytes.end()}};
    if (outside.kind > mail_kind_last) refuse_letter(inside, "is of no kind");
    if (outside.run == run_) {
      into = std::move(inside);
      return true;
    }
    // Of a run that this rank has not begun: the sender has left the last one, and is ahead. begin() makes it due.
    early_.push_back({outside.run, std::move(inside)});
  }
  return false;
}

}  // namespace leat::inline LEAT_ABI::ranks
