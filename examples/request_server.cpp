// A server takes requests from many threads at once. Each request is a task that is submitted to the workers. Its
// client waits for the future with a timeout, and a continuation reports the answer to a journal. Each is answered
// exactly once.

#include <leat/leat.hpp>

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace {

// The work of a request, from less than a microsecond to a millisecond or so: the largest prime factor of a number.
std::uint64_t largest_factor(std::uint64_t n) {
  if (n < 2) throw std::domain_error("a number below 2 has no prime factor");
  std::uint64_t largest = 1;
  for (std::uint64_t f = 2; f * f <= n; f += f == 2 ? 1 : 2) {
    for (; n % f == 0; n /= f) largest = f;
  }
  return n > 1 ? n : largest;
}

// Counts the answers of each request. Workers send to its thread, so the counts need no lock.
class journal {
 public:
  // `counts` has one for each request, and lives longer.
  explicit journal(std::vector<unsigned>& counts)
      : thread_([this, &counts] {
          for (const std::size_t id : answered_) ++counts[id];
        }) {}
  journal(const journal&) = delete;
  journal& operator=(const journal&) = delete;
  ~journal() {
    answered_.close();
    thread_.join();
  }
  void add(std::size_t id) { answered_.send(id); }

 private:
  leat::channel<std::size_t, leat::ends::many, leat::ends::one> answered_{64};
  std::thread thread_;
};

class server {
 public:
  explicit server(std::vector<unsigned>& counts) : journal_(counts) {}

  // Any thread. What the request throws comes out of the future, and does not reach the journal.
  leat::future<std::uint64_t> ask(std::size_t id, std::uint64_t number) {
    return workers_.submit(largest_factor, number).then([this, id](std::uint64_t factor) {
      journal_.add(id);
      return factor;
    });
  }

 private:
  journal journal_;
  leat::runtime workers_;  // is destroyed first: it executes all that it has accepted, while there is a journal
};

constexpr std::uint64_t refused = 0;  // in place of a factor

struct outcome {
  std::uint64_t factor = refused;
  unsigned times = 0;
};

// A client asks for the numbers from `first` on and before `last`. It has some requests under way, so that it does not
// flood the server, and waits for the oldest of them. Returns how many waits timed out.
std::size_t ask_for_all(server& asked, const std::vector<std::uint64_t>& numbers, std::size_t first, std::size_t last,
                        std::vector<outcome>& outcomes) {
  constexpr std::size_t under_way_max = 8;
  std::deque<leat::future<std::uint64_t>> under_way;
  std::size_t timeouts = 0, next = first;
  for (std::size_t id = first; id != last; ++id) {
    for (; next != last && under_way.size() != under_way_max; ++next)
      under_way.push_back(asked.ask(next, numbers[next]));
    leat::future<std::uint64_t>& oldest = under_way.front();
    while (!oldest.wait_for(std::chrono::milliseconds(2)))
      ++timeouts;  // here a client could do something else, or give up
    ++outcomes[id].times;
    try {
      outcomes[id].factor = oldest.get();
    } catch (const std::domain_error&) {
      outcomes[id].factor = refused;
    }
    under_way.pop_front();
  }
  return timeouts;
}

std::vector<std::uint64_t> serial(const std::vector<std::uint64_t>& numbers) {
  std::vector<std::uint64_t> factors(numbers.size(), refused);
  for (std::size_t id = 0; id != numbers.size(); ++id) {
    if (numbers[id] >= 2) factors[id] = largest_factor(numbers[id]);
  }
  return factors;
}

// Returns how many waits timed out. The server ends when its clients have.
std::size_t parallel(const std::vector<std::uint64_t>& numbers, std::size_t clients, std::vector<outcome>& outcomes,
                     std::vector<unsigned>& counts) {
  server asked(counts);
  std::vector<std::size_t> timeouts(clients);
  std::vector<std::jthread> threads;
  for (std::size_t c = 0; c != clients; ++c) {
    threads.emplace_back([&, c] {
      const std::size_t each = numbers.size() / clients;
      timeouts[c] = ask_for_all(asked, numbers, c * each, (c + 1) * each, outcomes);
    });
  }
  for (std::jthread& t : threads) t.join();
  return std::accumulate(timeouts.begin(), timeouts.end(), std::size_t{0});
}

// Of very different cost; each 50th of them is no good request.
std::vector<std::uint64_t> made_numbers(std::size_t count) {
  std::mt19937_64 draw(1);
  std::vector<std::uint64_t> numbers(count);
  for (std::size_t id = 0; id != count; ++id) numbers[id] = id % 50 == 49 ? 0 : draw() >> 26;
  return numbers;
}

template <class F>
auto timed(double& seconds, F f) {
  const auto begin = std::chrono::steady_clock::now();
  auto result = f();
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

bool serve(std::size_t clients, std::size_t each) {
  const std::vector<std::uint64_t> numbers = made_numbers(clients * each);
  std::vector<outcome> outcomes(numbers.size());
  std::vector<unsigned> counts(numbers.size());
  double serial_seconds = 0, parallel_seconds = 0;
  const std::vector<std::uint64_t> expected = timed(serial_seconds, [&] { return serial(numbers); });
  const std::size_t timeouts = timed(parallel_seconds, [&] { return parallel(numbers, clients, outcomes, counts); });

  std::size_t answered = 0, refusals = 0, wrong = 0;
  for (std::size_t id = 0; id != numbers.size(); ++id) {
    const bool good = expected[id] != refused;
    ++(good ? answered : refusals);
    if (outcomes[id].times != 1 || outcomes[id].factor != expected[id] || counts[id] != (good ? 1U : 0U)) ++wrong;
  }
  std::printf("%10s %10s %6s\n%10.3f %10.3f %6.2f\n", "serial s", "parallel s", "ratio", serial_seconds,
              parallel_seconds, serial_seconds / parallel_seconds);
  std::printf("%zu requests of %zu clients: %zu answered, %zu refused, %zu wrong; %zu waits timed out\n",
              numbers.size(), clients, answered, refusals, wrong, timeouts);
  return wrong == 0;
}

std::size_t number_at(const std::vector<std::string>& arguments, std::size_t place, const char* name, std::size_t usual,
                      std::size_t most) {
  if (place >= arguments.size()) return usual;
  const std::string& text = arguments[place];
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size() && number >= 1 && number <= most) return number;
  throw std::invalid_argument(std::string(name) + " is '" + text + "', not a whole number from 1 to " +
                              std::to_string(most));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.size() > 2) throw std::invalid_argument("there is one argument too many: '" + arguments[2] + "'");
    return serve(number_at(arguments, 0, "CLIENTS", 4, 1000), number_at(arguments, 1, "REQUESTS", 1000, 100'000)) ? 0
                                                                                                                  : 1;
  } catch (const std::invalid_argument& e) {
    std::fprintf(stderr, "request_server: %s\nusage: request_server [CLIENTS [REQUESTS]]\n", e.what());
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "request_server: %s\n", e.what());
    return 1;
  }
}
