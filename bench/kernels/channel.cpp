#include "kernels/channel.hpp"

#include "kernels/range.hpp"

#include <leat/platform/chosen.hpp>
#include <leat/platform/counted.hpp>
#include <leat/task/channel.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace leat::kernels::channel {

namespace {

using task::ends;

template <class P, ends Senders, ends Receivers>
using channel_of = task::channel<P, std::uint64_t, Senders, Receivers>;

template <class Channel>
std::uint64_t sum_of(Channel& c) {
  std::uint64_t sum = 0;
  while (const auto m = c.receive()) sum += *m;
  return sum;
}

/// Threads of the platform, which are joined in any case.
template <class P>
class threads {
 public:
  threads() = default;
  threads(const threads&) = delete;
  threads& operator=(const threads&) = delete;
  ~threads() { join(); }

  template <class F>
  void start(F f) {
    all_.emplace_back(f);
  }
  void join() {
    for (auto& t : all_) t.join();
    all_.clear();
  }

 private:
  std::vector<typename P::thread> all_;
};

/// The root receives, and so do threads, if there are to be more receivers; the thread that closes joins the senders first.
template <class P, ends Senders, ends Receivers>
std::uint64_t spread(const parameters& p, std::int64_t senders, std::int64_t receivers) {
  channel_of<P, Senders, Receivers> c(static_cast<std::size_t>(p.room));
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(receivers));
  threads<P> receiving;
  threads<P> closing;
  closing.start([&] {
    threads<P> sending;
    for (std::int64_t s = 0; s < senders; ++s) {
      sending.start([&c, &p, s, senders] {
        for (std::int64_t m = s + 1; m <= p.messages; m += senders) c.send(static_cast<std::uint64_t>(m));
      });
    }
    sending.join();
    c.close();
  });
  for (std::size_t r = 1; r < sums.size(); ++r) receiving.start([&c, &sums, r] { sums[r] = sum_of(c); });
  sums[0] = sum_of(c);
  receiving.join();
  std::uint64_t all = 0;
  for (const std::uint64_t sum : sums) all += sum;
  return all;
}

template <class P>
std::uint64_t play(const parameters& p) {
  channel_of<P, ends::one, ends::one> there(static_cast<std::size_t>(p.room));
  channel_of<P, ends::one, ends::one> back(static_cast<std::size_t>(p.room));
  threads<P> other;
  other.start([&] {
    for (const std::uint64_t m : there) back.send(m);
  });
  std::uint64_t sum = 0;
  for (std::int64_t m = 1; m <= p.messages; ++m) {
    there.send(static_cast<std::uint64_t>(m));
    sum += back.receive().value_or(0);
  }
  there.close();
  other.join();
  return sum;
}

template <class P>
std::uint64_t run_shape(const parameters& p) {
  switch (p.shape) {
    case shape::pair: return spread<P, ends::one, ends::one>(p, 1, 1);
    case shape::to_one: return spread<P, ends::many, ends::one>(p, p.senders, 1);
    case shape::among: return spread<P, ends::many, ends::many>(p, p.senders, p.senders);
    case shape::ball: break;
  }
  return play<P>(p);
}

template <class P, class Runtime>
std::uint64_t run(Runtime& rt, const parameters& p) {
  std::uint64_t sum = 0;
  rt.run([&] { sum = run_shape<P>(p); });
  return sum;
}

template <ends Senders, ends Receivers>
std::uint64_t in_turns(const parameters& p) {
  channel_of<platform::chosen, Senders, Receivers> c(static_cast<std::size_t>(p.room));
  std::uint64_t sum = 0;
  const std::int64_t batch = p.shape == shape::ball ? 1 : p.room;
  for (std::int64_t next = 1; next <= p.messages;) {
    const std::int64_t end = next + std::min(batch, p.messages - next + 1);
    for (; next < end; ++next) c.send(static_cast<std::uint64_t>(next));
    while (const auto m = c.try_receive()) sum += *m;
  }
  return sum;
}

}  // namespace

std::string_view name(shape s) noexcept {
  constexpr std::array<std::string_view, 4> names{"pair", "to-one", "among", "ball"};
  return names[static_cast<std::size_t>(s)];
}

void parameters::validate() const {
  check_range("--messages", messages, 0, messages_max);
  check_range("--room", room, 1, room_max);
  check_range("--senders", senders, 1, senders_max);
}

std::uint64_t parameters::expected() const noexcept {
  const auto n = static_cast<std::uint64_t>(messages);
  return n % 2 == 0 ? n / 2 * (n + 1) : (n + 1) / 2 * n;
}

parameters parameters::smaller() const noexcept {
  constexpr std::int64_t messages_at_most = 100'000;
  parameters p = *this;
  p.messages = std::min(messages, messages_at_most);
  return p;
}

std::uint64_t serial(const parameters& p) {
  if (p.shape == shape::pair || p.shape == shape::ball) return in_turns<ends::one, ends::one>(p);
  return in_turns<ends::many, ends::many>(p);
}

std::uint64_t parallel(runtime& rt, const parameters& p) { return run<platform::chosen>(rt, p); }

std::uint64_t parallel(counted_runtime& rt, const parameters& p) { return run<platform::counted>(rt, p); }

}  // namespace leat::kernels::channel
