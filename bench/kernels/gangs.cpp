#include "kernels/gangs.hpp"

#include "kernels/chain.hpp"
#include "kernels/range.hpp"

#include <leat/spawn.hpp>

#include <array>
#include <deque>
#include <memory>
#include <vector>

namespace leat::kernels::gangs {

namespace {

using platform_chosen = platform::chosen;
template <class T>
using word = platform_chosen::atomic<T>;

/// What one thread of a gang has, and shows to its two neighbours in the gang's ring.
struct alignas(platform::cache_line) member {
  member(const parameters& p, std::int64_t n) : number(n), own(p.lines) {
    values[0].store(static_cast<std::uint64_t>(n), platform::relaxed);  // relaxed: no other thread knows it yet
  }

  const std::int64_t number;  // among the threads of all gangs
  chain own;
  word<std::uint64_t> done{0};  // steps
  // Of the last step and of the one before: a neighbour is one step ahead at most.
  std::array<word<std::uint64_t>, 2> values{};
};

/// Messages from one gang to the others.
struct outbox {
  word<std::uint64_t> sent{0}, carried{0};  // messages
  word<std::uint64_t> since_ns{0};  // when the oldest one that waits was sent; 0: none waits
};

class program {
 public:
  explicit program(const parameters& p) : p_(p), boxes_(static_cast<std::size_t>(p.gangs)) {
    for (std::int64_t i = 0; i < p.gangs * p.threads; ++i) members_.push_back(std::make_unique<member>(p, i));
  }

  // Step `step` of a thread, from 1 on. Its neighbours have done the one before.
  void take_step(std::int64_t gang, std::int64_t thread, std::uint64_t step) {
    member& m = at(gang, thread);
    const std::size_t was = (step - 1) & 1;
    // relaxed: ordered by `done`, which the caller has read
    const std::uint64_t heard = neighbour(gang, thread, -1).values[was].load(platform::relaxed) +
                                neighbour(gang, thread, 1).values[was].load(platform::relaxed);
    const std::uint64_t found = m.own.visit(heard + step);
    work_ns(varied(p_.step_ns, static_cast<std::uint64_t>(m.number), step));
    m.values[step & 1].store(found, platform::relaxed);  // relaxed: as above
    m.done.store(step, platform::release);  // pairs with may_take
  }

  [[nodiscard]] bool may_take(std::int64_t gang, std::int64_t thread, std::uint64_t step) {
    for (const std::int64_t side : {-1, 1}) {
      if (neighbour(gang, thread, side).done.load(platform::acquire) + 1 < step) return false;  // pairs with take_step
    }
    return true;
  }

  // The first thread of a gang has a message for the others.
  void send(std::int64_t gang) {
    outbox& box = boxes_[static_cast<std::size_t>(gang)];
    // relaxed: this thread alone writes `sent`; a message that has just been carried may count as one that waits
    if (box.carried.load(platform::relaxed) == box.sent.load(platform::relaxed))
      box.since_ns.store(platform_chosen::now_ns(), platform::relaxed);  // relaxed: ordered by `sent`
    box.sent.fetch_add(1, platform::acq_rel);  // pairs with carry
  }

  // The communication thread carries what has come. How many messages.
  std::uint64_t carry() {
    std::uint64_t carried = 0;
    for (outbox& box : boxes_) {
      const std::uint64_t sent = box.sent.load(platform::acquire);  // pairs with send
      const std::uint64_t before = box.carried.load(platform::relaxed);  // relaxed: this thread alone writes it
      if (sent == before) continue;
      waited_ns_ += platform_chosen::now_ns() - box.since_ns.load(platform::relaxed);  // relaxed: ordered by `sent`
      ++answers_;
      carried += sent - before;
      box.carried.store(sent, platform::relaxed);
    }
    return carried;
  }

  [[nodiscard]] std::uint64_t messages() const noexcept {
    return static_cast<std::uint64_t>(p_.gangs * (p_.steps / p_.every));
  }
  [[nodiscard]] double answered_us() const noexcept {
    return answers_ == 0 ? 0 : 1e-3 * static_cast<double>(waited_ns_) / static_cast<double>(answers_);
  }
  [[nodiscard]] std::uint64_t sum() const {
    std::uint64_t all = 0;
    for (const auto& m : members_) {
      constexpr std::uint64_t odd = 0xff51afd7ed558ccd;
      all = all * odd +
            m->values[static_cast<std::size_t>(p_.steps) & 1].load(platform::relaxed);  // relaxed: all have ended
    }
    return all;
  }

 private:
  member& at(std::int64_t gang, std::int64_t thread) {
    return *members_[static_cast<std::size_t>(gang * p_.threads + thread)];
  }
  member& neighbour(std::int64_t gang, std::int64_t thread, std::int64_t side) {
    return at(gang, (thread + side + p_.threads) % p_.threads);
  }

  const parameters& p_;
  std::vector<std::unique_ptr<member>> members_;
  std::deque<outbox> boxes_;
  std::uint64_t waited_ns_ = 0, answers_ = 0;  // the communication thread's
};

}  // namespace

std::string_view name(way w) noexcept {
  constexpr std::array<std::string_view, 2> names{"threads", "gangs"};
  return names[static_cast<std::size_t>(w)];
}

void parameters::validate() const {
  check_range("--gangs", gangs, 1, gangs_max);
  check_range("--threads", threads, 1, threads_max);
  check_range("--steps", steps, 1, steps_max);
  check_range("--lines", lines, 1, lines_max);
  check_range("--step-ns", step_ns, 0, step_ns_max);
  check_range("--every", every, 1, steps_max);
  check_range("--slice-us", slice_us, 1, slice_us_max);
}

serial_outcome serial(const parameters& p) {
  program all(p);
  return run_serially([&] {
    // Gang by gang, as the data of one fits better than that of all.
    for (std::int64_t g = 0; g < p.gangs; ++g) {
      for (std::int64_t k = 1; k <= p.steps; ++k)
        for (std::int64_t i = 0; i < p.threads; ++i) all.take_step(g, i, static_cast<std::uint64_t>(k));
    }
    return all.sum();
  });
}

carried_outcome parallel(runtime& rt, const parameters& p, bubble_trace* trace) {
  program all(p);
  carried_outcome out = run_carried(rt, trace, [&] {
    const bool in_gangs = p.way == way::gangs;
    thread communication(
        [&] {
          for (std::uint64_t carried = all.carry(); carried < all.messages(); carried += all.carry()) thread::sleep();
        },
        {.priority = in_gangs ? 2 : 0});
    const auto thread_of = [&](std::int64_t g, std::int64_t i) {
      return [&, g, i] {
        for (std::int64_t k = 1; k <= p.steps; ++k) {
          const auto step = static_cast<std::uint64_t>(k);
          while (!all.may_take(g, i, step)) thread::yield();
          all.take_step(g, i, step);
          if (i == 0 && k % p.every == 0) all.send(g), communication.wake();
          leat::poll();
        }
      };
    };
    bubble whole(bubble_options{.burst_level = "machine"});
    std::vector<std::unique_ptr<bubble>> parts;
    for (std::int64_t g = 0; g < p.gangs; ++g) {
      bubble* of = &whole;
      if (in_gangs) {
        parts.push_back(std::make_unique<bubble>(bubble_options{.slice_us = static_cast<std::uint64_t>(p.slice_us)}));
        of = parts.back().get();
      }
      for (std::int64_t i = 0; i < p.threads; ++i) of->spawn(thread_of(g, i), {.priority = in_gangs ? 1 : 0});
      if (in_gangs) whole.insert(*of);
    }
    whole.wake();
    whole.join();
    communication.join();
    return all.sum();
  });
  out.answered_us = all.answered_us();
  return out;
}

}  // namespace leat::kernels::gangs
