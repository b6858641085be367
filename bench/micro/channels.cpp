// Channels: an operation of each side by one thread, and a message to another thread and back.

#include <leat/channel/mpmc.hpp>
#include <leat/channel/mpsc.hpp>
#include <leat/channel/one_shot.hpp>
#include <leat/channel/spsc.hpp>
#include <leat/platform/native.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

using leat::channels::sent;
using leat::platform::native;
using message = std::uint64_t;
using spsc = leat::channels::spsc<native, message>;
using mpsc = leat::channels::mpsc<native, message>;
using mpmc = leat::channels::mpmc<native, message>;
using one_shot = leat::channels::one_shot<native, message>;

constexpr std::size_t capacity = 64;
constexpr message last = ~message{0};

template <class Channel>
void send_and_receive(benchmark::State& state) {
  Channel c(capacity);
  message next = 0;
  for (auto _ : state) {
    if (c.try_send(next) != sent::ok || c.try_receive() != next) return state.SkipWithError("a message was lost");
    ++next;
  }
}
BENCHMARK(send_and_receive<spsc>)->Name("channel/spsc/send_and_receive");
BENCHMARK(send_and_receive<mpsc>)->Name("channel/mpsc/send_and_receive");
BENCHMARK(send_and_receive<mpmc>)->Name("channel/mpmc/send_and_receive");

void send_and_receive_once(benchmark::State& state) {
  message next = 0;
  for (auto _ : state) {
    one_shot c;
    c.try_send(next);
    if (c.try_receive() != next) return state.SkipWithError("the message was lost");
    ++next;
  }
}
BENCHMARK(send_and_receive_once)->Name("channel/one_shot/make_send_and_receive");

template <class Channel>
void receive_nothing(benchmark::State& state) {
  Channel c(capacity);
  for (auto _ : state) benchmark::DoNotOptimize(c.try_receive());
}
BENCHMARK(receive_nothing<spsc>)->Name("channel/spsc/receive_nothing");
BENCHMARK(receive_nothing<mpsc>)->Name("channel/mpsc/receive_nothing");
BENCHMARK(receive_nothing<mpmc>)->Name("channel/mpmc/receive_nothing");

// The next message. Who waits lets others run now and then, should there be fewer CPUs than threads.
template <class Channel>
message receive(Channel& c) {
  constexpr unsigned looks = 1000;
  for (;;) {
    for (unsigned i = 0; i < looks; ++i) {
      if (const auto came = c.try_receive()) return *came;
      native::relax();
    }
    native::yield();
  }
}

template <class Channel>
void round_trip(benchmark::State& state) {
  Channel there(capacity);
  Channel back(capacity);
  std::jthread echo([&] {
    for (message came = receive(there); came != last; came = receive(there)) back.try_send(came);
  });
  message next = 0;
  for (auto _ : state) {
    there.try_send(next);
    if (receive(back) != next) {
      state.SkipWithError("a message was lost");
      break;
    }
    ++next;
  }
  there.try_send(last);
}
BENCHMARK(round_trip<spsc>)->Name("channel/spsc/round_trip")->UseRealTime();
BENCHMARK(round_trip<mpsc>)->Name("channel/mpsc/round_trip")->UseRealTime();
BENCHMARK(round_trip<mpmc>)->Name("channel/mpmc/round_trip")->UseRealTime();

}  // namespace
