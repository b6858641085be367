#include "replay.hpp"

#include <leat/blocking.hpp>
#include <leat/fork_join.hpp>
#include <leat/parallel_for.hpp>
#include <leat/platform/chosen.hpp>
#include <leat/simulate.hpp>
#include <leat/spawn.hpp>

#include <algorithm>
#include <stdexcept>

namespace leat::sim {

namespace {

// Where a thread's stack was when it first executed something of the program.
struct stack_begin {
  std::uintptr_t address = 0;
};

// So many forks, as a balanced tree. `chain_ns`: of its first leaf, and `leaf_ns` of each other one.
void execute_tree(std::uint64_t forks, double chain_ns, double leaf_ns) {
  if (forks == 0) return work_ns(chain_ns);
  const std::uint64_t second = (forks - 1) / 2;
  parallel_invoke([=] { execute_tree(forks - 1 - second, chain_ns, leaf_ns); },
                  [=] { execute_tree(second, leaf_ns, leaf_ns); });
}

// What is not in the longest chain is shared evenly by the other leaves.
void execute_sums(const recording::sums& s) {
  if (s.forks == 0) return work_ns(static_cast<double>(s.work_ns));
  const double beside = static_cast<double>(s.work_ns - s.span_ns) / static_cast<double>(s.forks);
  execute_tree(s.forks, static_cast<double>(s.span_ns), beside);
}

}  // namespace

replay::replay(const recording& r, const walked& found, std::size_t stack_bytes, bool& too_deep)
    : r_(r), found_(found), stack_bytes_(stack_bytes), too_deep_(too_deep) {}

void replay::run(const std::function<void(const std::function<void()>&)>& enter) {
  for (const recording::phase& p : r_.phases) {
    if (!p.is_run) {
      work_ns(static_cast<double>(p.what));
      continue;
    }
    enter([&, p] { static_cast<void>(sequence(p.what)); });
  }
}

// A recursion that ran on a stack of the usual size fits many times into this one.
void replay::check_stack() {
  constexpr std::size_t left = std::size_t{1} << 20;
  auto& begin = platform::chosen::own<stack_begin>();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (begin.address < here) begin.address = here;
  if (begin.address - here <= stack_bytes_ - left) return;
  // An exception would go through each of so many forks.
  too_deep_ = true;
  platform::simulation::current()->fail("the recorded computation nests too deep");
}

std::uint64_t replay::sequence(std::uint64_t at) {
  check_stack();
  if (!found_.early_groups.empty()) [[unlikely]] {
    if (const auto early = found_.early_groups.find(at); early != found_.early_groups.end())
      for (const std::uint32_t name : early->second) static_cast<void>(group(name));
  }
  while (r_.words[at].code() != strand_code::end) at = one(at);
  return at;
}

// Executes what begins at this word, and returns the one behind it.
std::uint64_t replay::one(std::uint64_t at) {
  const strand_word w = r_.words[at];
  const std::uint64_t payload = w.payload();
  switch (w.code()) {
    case strand_code::end: break;
    case strand_code::strand: work_ns(static_cast<double>(payload)); break;
    case strand_code::jump: return payload;
    case strand_code::fork: return fork(at);
    case strand_code::spawn: spawn(at); return at + 2;
    case strand_code::wait: wait(static_cast<std::uint32_t>(payload)); break;
    case strand_code::barrier: barrier(); break;
    case strand_code::loop: loop(r_.loops[payload]); break;
    case strand_code::future: make_future(at); return at + 2;
    case strand_code::await: await(static_cast<std::uint32_t>(payload)); break;
    case strand_code::blocking: blocking([payload] { platform::chosen::sleep_ns(payload); }); break;
    case strand_code::sums: execute_sums(r_.all_sums[payload]); break;
  }
  return at + 1;
}

std::uint64_t replay::fork(std::uint64_t at) {
  const std::uint64_t second = r_.words[at].payload();
  std::uint64_t first_end = 0;
  parallel_invoke([&] { first_end = sequence(at + 1); }, [this, second] { static_cast<void>(sequence(second)); });
  return r_.words[first_end].payload();
}

task_group& replay::group(std::uint32_t name) {
  if (const auto made = groups_.find(name); made != groups_.end()) return *made->second.group;
  auto* const fresh = new task_group;
  groups_.emplace(name, made_group{fresh, found_.group_waits[name]});
  return *fresh;
}

void replay::spawn(std::uint64_t at) {
  const auto name = static_cast<std::uint32_t>(r_.words[at + 1].payload());
  const std::uint64_t begin = r_.words[at].payload();
  const auto task = [this, begin] { static_cast<void>(sequence(begin)); };
  // A group that is never waited for ends with the run.
  if (name != 0 && (r_.name_of_task(at) || !r_.tasks_before(begin).empty())) spawn_in_order(at);
  else if (name == 0 || found_.group_waits[name] == 0) leat::spawn(task);
  else group(name).spawn(task);
}

// A task that waits for others, or that others wait for. Nodes of a graph may be made before those that they wait for: then
// the last of these has them begin to exist.
void replay::spawn_in_order(std::uint64_t at) {
  const std::uint64_t begin = r_.words[at].payload();
  std::vector<task_handle> before;
  for (const std::uint32_t name : r_.tasks_before(begin)) {
    const auto made = tasks_.find(name);
    if (made == tasks_.end()) return late_[name].push_back(at);
    before.push_back(made->second);
  }
  const auto task = [this, first = begin + before.size()] { static_cast<void>(sequence(first)); };
  task_handle made = group(static_cast<std::uint32_t>(r_.words[at + 1].payload())).spawn_after(before, task);
  const auto name = r_.name_of_task(at);
  if (!name) return;
  tasks_.insert_or_assign(*name, std::move(made));
  if (const auto late = late_.extract(*name); !late.empty())
    for (const std::uint64_t waiting : late.mapped()) spawn_in_order(waiting);
}

void replay::wait(std::uint32_t name) {
  const auto made = groups_.find(name);
  if (made == groups_.end()) return;  // no task was made in it
  task_group* const waited = made->second.group;
  const bool is_last = --made->second.waits_left == 0;
  try {
    waited->wait();
  } catch (const std::logic_error&) {
    ++unordered_awaits_;  // made in another run, whose end has waited for its tasks
    return;
  }
  if (!is_last) return;
  groups_.erase(name);
  delete waited;
}

// A task that begins with a wait for a future follows that one.
void replay::make_future(std::uint64_t at) {
  const auto name = static_cast<std::uint32_t>(r_.words[at + 1].payload());
  const std::uint64_t begin = r_.words[at].payload();
  const std::uint32_t waits = found_.future_waits[name];
  const auto keep = [&](future<void> made) {
    if (waits != 0) futures_.insert_or_assign(name, made_future{made.share(), waits});
  };
  if (const strand_word first = r_.words[begin]; first.code() == strand_code::await) {
    if (const auto source = take_future(static_cast<std::uint32_t>(first.payload())))
      return keep(source->then([this, begin] { static_cast<void>(sequence(begin + 1)); }));
  }
  keep(async([this, begin] { static_cast<void>(sequence(begin)); }));
}

// For one of the waits that it is recorded to have.
std::optional<shared_future<void>> replay::take_future(std::uint32_t name) {
  const auto made = futures_.find(name);
  if (made == futures_.end()) return std::nullopt;
  const shared_future<void> taken = made->second.future;
  if (--made->second.waits_left == 0) futures_.erase(made);
  return taken;
}

void replay::await(std::uint32_t name) {
  if (r_.is_task[name]) {
    const auto made = tasks_.find(name);
    if (made == tasks_.end() || !made->second.done()) ++unordered_awaits_;
  } else if (const auto awaited = take_future(name)) {
    awaited->wait();
  } else {
    ++unordered_awaits_;
  }
}

void replay::loop(const recording::loop& l) {
  // Blocks and not single iterations, as a simulated step costs the host more than most iterations take.
  parallel_for(std::uint64_t{0}, l.iterations,
               [&](leat::block<std::uint64_t> b) { iterations(l, b.first(), b.last()); });
}

// A block that is cut takes its part of the time. One with operations is executed where its first iteration is.
void replay::iterations(const recording::loop& l, std::uint64_t first, std::uint64_t last) {
  const auto all = r_.blocks_of(l);
  auto b = std::ranges::upper_bound(all, first, {}, &recording::block::first);
  do {
    if (b != all.begin()) --b;
  } while (b != all.begin() && b->count == 0);
  double ns = 0;
  for (; b != all.end() && b->first < last; ++b) {
    const std::uint64_t begin = std::max(b->first, first);
    const std::uint64_t end = std::min(b->first + b->count, last);
    if (b->count == 0 && !b->open) {
      if (b->first >= first) ns += static_cast<double>(b->cost);
      continue;
    }
    if (begin >= end && !b->open) continue;
    if (!b->open) {
      ns += static_cast<double>(b->cost) * (static_cast<double>(end - begin) / static_cast<double>(b->count));
    } else if (b->first >= first) {
      if (ns != 0) work_ns(ns);
      ns = 0;
      static_cast<void>(sequence(b->cost));
    }
  }
  if (ns != 0) work_ns(ns);
}

}  // namespace leat::sim
