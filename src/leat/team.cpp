#include "leat/team.hpp"

#include <new>

#include "leat/entry/bodies.hpp"

namespace leat::inline LEAT_ABI {

// The scheduler's primary under a name that the public header can declare: that header does not include what the
// scheduler is made of.
struct team::primary : entry::primary<platform::chosen> {
  using entry::primary<platform::chosen>::primary;
};

team::team(const options& o)
    // In the order of the members: the primary takes its place in a scheduler that stands, and `run_` lies in the
    // primary.
    : runtime_(o, 1), primary_(new primary(*runtime_.scheduler_)), run_(&primary_->own_run()) {}

// The primary ends first, by this body, and with it all work; the runtime, whose scheduler it uses, after that, as a
// member.
team::~team() {
  // A task has called std::exit: no thread to wait for, and workers that may still use all of it.
  if (!runtime_.scheduler_->under_way()) delete primary_;
}

// Compiled here, and not in the header, which calls it once for each `call`: there the primary is only declared.
bool team::admits_caller() const noexcept { return primary_->admits_caller(); }

// The room in the header is for an object of a class that the header does not know. If that grows, this stops the
// compiler.
team::visit::visit(const team& to) {
  static_assert(sizeof(primary::visit) <= sizeof(bytes_) && alignof(primary::visit) <= alignof(void*));
  ::new (static_cast<void*>(bytes_)) primary::visit(*to.primary_);
}

team::visit::~visit() { std::launder(reinterpret_cast<primary::visit*>(bytes_))->~visit(); }

// A forked child is told so first: there no thread is admitted, for whatever other reason as well.
void team::refuse_caller() const {
  if (runtime_.scheduler_->forked())
    throw forked_process("leat::team::call: this process was forked; its team has no other workers");
  throw not_a_worker(
      "leat::team::call: this thread did not make the team, or is inside leat::blocking, or inside another team or "
      "runtime that it entered in a call of this one");
}

}  // namespace leat::inline LEAT_ABI
