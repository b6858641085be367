#include "leat/team.hpp"

namespace leat {

team::team(const options& o) : runtime_(o, true), primary_(std::make_unique<primary>(*runtime_.scheduler_)) {}

team::~team() {
  // A task has called std::exit: nobody to wait for, and workers that may still use all of it.
  if (runtime_.scheduler_->under_way()) static_cast<void>(primary_.release());
}

void team::refuse_caller() const {
  if (runtime_.scheduler_->forked())
    throw forked_process("leat::team::call: this process was forked; its team has no other workers");
  throw not_a_worker(
      "leat::team::call: this thread did not make the team, or is inside leat::blocking, or inside another team or "
      "runtime that it entered in a call of this one");
}

}  // namespace leat
