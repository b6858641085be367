#include "alarm.hpp"

#include <cerrno>
#include <csignal>

#include <atomic>
#include <system_error>

namespace soak {

namespace {

constexpr long period_ns = 100'000;
constexpr long urgent_period_ns = 10'000'000;

std::atomic<std::uint64_t> usual{0};
std::atomic<std::uint64_t> urgent{0};

void ring(int) { usual.fetch_add(1, std::memory_order_relaxed); }
void ring_urgently(int) { urgent.fetch_add(1, std::memory_order_relaxed); }

timer_t started(int signal, void (*handler)(int), long every_ns) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = signal;
  timer_t timer{};
  const itimerspec when{{0, every_ns}, {0, every_ns}};
  if (sigaction(signal, &action, nullptr) != 0 || timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
      timer_settime(timer, 0, &when, nullptr) != 0) {
    throw std::system_error(errno, std::generic_category(), "soak: a timer cannot be set");
  }
  return timer;
}

}  // namespace

alarm_clock::alarm_clock()
    : timers_{started(SIGALRM, ring, period_ns), started(SIGURG, ring_urgently, urgent_period_ns)} {}

alarm_clock::~alarm_clock() {
  for (timer_t t : timers_) timer_delete(t);
}

void alarm_clock::leave_out_caller() {
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGALRM);
  sigaddset(&both, SIGURG);
  pthread_sigmask(SIG_BLOCK, &both, nullptr);
}

std::uint64_t alarm_clock::rung() { return usual.load(std::memory_order_relaxed); }
std::uint64_t alarm_clock::rung_urgently() { return urgent.load(std::memory_order_relaxed); }

}  // namespace soak
