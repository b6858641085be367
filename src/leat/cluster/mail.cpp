#include "leat/cluster/mail.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace leat::ranks {

namespace {

struct envelope {
  mail_kind kind;
  std::uint32_t run;
};

}  // namespace

void mail::begin(std::uint32_t run) {
  run_ = run;
  std::erase_if(early_, [run](const dated& d) { return d.run < run; });
}

void mail::send(rank_id to, mail_kind kind, std::span<const std::byte> body) {
  const envelope outside{kind, run_};
  outgoing_.resize(sizeof outside + body.size());
  std::memcpy(outgoing_.data(), &outside, sizeof outside);
  if (!body.empty()) std::memcpy(outgoing_.data() + sizeof outside, body.data(), body.size());
  by_.send(to, outgoing_);
}

bool mail::receive(letter& into) {
  const auto due = std::ranges::find(early_, run_, &dated::run);
  if (due != early_.end()) {
    into = std::move(due->inside);
    early_.erase(due);
    return true;
  }
  while (by_.receive(incoming_)) {
    envelope outside{};
    std::memcpy(&outside, incoming_.bytes.data(), sizeof outside);
    if (outside.run < run_) continue;
    letter inside{incoming_.from, outside.kind, {incoming_.bytes.begin() + sizeof outside, incoming_.bytes.end()}};
    if (outside.run == run_) {
      into = std::move(inside);
      return true;
    }
    early_.push_back({outside.run, std::move(inside)});
  }
  return false;
}

}  // namespace leat::ranks
