#include "leat/task/errors.hpp"

#include <stdexcept>
#include <string>

#include "leat/handshake/proxies.hpp"
#include "leat/platform/chosen.hpp"
#include "leat/work/errors.hpp"

namespace leat::inline LEAT_ABI::task {

void throw_not_a_worker(const char* what) {
  const bool blocks = platform::chosen::own<handshake::left_workers>().count != 0;
  throw not_a_worker(
      std::string("leat::") + what +
      (blocks ? ": this thread is inside leat::blocking or a thread hook, where it is no worker; call it outside"
              : ": this thread is not a worker; call it inside runtime::run or team::call"));
}

void throw_too_deep(std::size_t forks_max) {
  throw std::length_error("leat: more than " + std::to_string(forks_max) +
                          " forks, calls of parallel_invoke and loops inside each other");
}

void throw_closed_runtime() { throw closed_runtime("leat::runtime::submit: this runtime is being destroyed"); }

void throw_forked_future() {
  throw forked_process("leat::future::wait: this process was forked; the task stayed with the parent");
}

void throw_no_result() { throw std::logic_error("leat::future: it has no result; it was taken, moved or never set"); }

void throw_empty_future(const char* what, std::size_t at) {
  throw std::logic_error(std::string("leat::") + what + ": future " + std::to_string(at) +
                         " has no result; it was taken, moved or never set");
}

void throw_not_a_member(std::uint32_t me, bool same_runtime) {
  throw std::logic_error("leat::task_group::spawn: worker " + std::to_string(me) + " works for another " +
                         (same_runtime ? "run" : "runtime") + " than the group's");
}

void throw_not_the_owner(const char* what, std::uint32_t owner, std::uint32_t me, bool same_runtime) {
  throw std::logic_error(std::string("leat::") + what + ": only worker " + std::to_string(owner) +
                         ", which made the group, may wait for it; this is worker " + std::to_string(me) +
                         (same_runtime ? "" : " of another runtime"));
}

void throw_forked_group(const char* what) {
  throw forked_process(std::string("leat::") + what + ": this process was forked; the group stayed with the parent");
}

void throw_not_in_its_run(const char* what) {
  if (platform::chosen::own<handshake::left_workers>().count != 0) throw_not_a_worker(what);
  throw not_a_worker(std::string("leat::") + what +
                     ": this thread is not a worker; only the thread that made the group may wait for it, and only "
                     "workers of its run may spawn");
}

void throw_of_another_group(std::size_t place) {
  throw std::invalid_argument("leat::task_group::spawn_after: handle " + std::to_string(place) +
                              " is of a task of another group");
}

void throw_too_many_handles(std::size_t many, std::size_t most) {
  throw std::length_error("leat::task_group::spawn_after: " + std::to_string(many) + " handles; " +
                          std::to_string(most) + " at most");
}

void throw_waits_for_itself(const char* what, std::uint32_t me, const char* why) {
  throw deadlock(std::string("leat::") + what + ": " + why + ", and so for itself, on worker " + std::to_string(me));
}

void throw_deadlock(const char* what, std::uint32_t me, std::uint32_t waits) {
  throw deadlock(std::string("leat::") + what + ": worker " + std::to_string(me) + " waits in a circle of " +
                 std::to_string(waits) + (waits == 1 ? " wait" : " waits") +
                 ": each is in a task that the one before needs, and none would end");
}

}  // namespace leat::inline LEAT_ABI::task
