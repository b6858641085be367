// What is an option worth that pays by the mean price of a share over a year? A Monte Carlo estimate with the same bits
// for any number of workers: a random number is a hash of its index, and leat::deterministic_reduce adds in a fixed
// order.

#include <leat/leat.hpp>

#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

// The option: a call on the mean of the prices at the end of each step. Rates are of one year.
constexpr double price_now = 100;
constexpr double strike = 100;
constexpr double interest = 0.03;
constexpr double volatility = 0.2;

struct sums {
  double payoffs = 0;
  double squares = 0;
  std::uint64_t paid = 0;  // paths that pay anything
};

sums operator+(const sums& a, const sums& b) { return {a.payoffs + b.payoffs, a.squares + b.squares, a.paid + b.paid}; }

std::array<std::uint64_t, 3> bits_of(const sums& s) { return std::bit_cast<std::array<std::uint64_t, 3>>(s); }

// The random number with this index, between 0 and 1: the finaliser of SplitMix64. It has no state, so any worker may
// draw any.
double uniform(std::uint64_t index) {
  std::uint64_t z = (index + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  z ^= z >> 31;
  return (static_cast<double>(z >> 11) + 0.5) * 0x1p-53;
}

// The normal random number with this index, by Box and Muller.
double normal(std::uint64_t index) {
  const double radius = std::sqrt(-2 * std::log(uniform(2 * index)));
  return radius * std::cos(2 * std::numbers::pi * uniform(2 * index + 1));
}

// One path of the price. Not inline: compilers may round a * b + c once or twice, and here all callers have the same
// code.
[[gnu::noinline]] sums follow(std::uint64_t path, std::uint64_t steps) {
  const double step = 1 / static_cast<double>(steps);
  const double drift = (interest - volatility * volatility / 2) * step;
  const double spread = volatility * std::sqrt(step);
  double log_price = std::log(price_now), total = 0;
  for (std::uint64_t i = 0; i != steps; ++i) {
    log_price += drift + spread * normal(path * steps + i);
    total += std::exp(log_price);
  }
  const double payoff = std::exp(-interest) * std::fmax(total * step - strike, 0);
  return {payoff, payoff * payoff, payoff > 0 ? 1U : 0U};
}

sums serial(std::uint64_t paths, std::uint64_t steps) {
  sums all;
  for (std::uint64_t path = 0; path != paths; ++path) all = all + follow(path, steps);
  return all;
}

sums parallel(std::uint64_t paths, std::uint64_t steps) {
  return leat::deterministic_reduce(
      std::uint64_t{0}, paths, sums{}, [steps](std::uint64_t path) { return follow(path, steps); },
      [](const sums& a, const sums& b) { return a + b; });
}

// The serial loop adds in another order, so its last bits differ. A sum of n terms that are not negative has an error
// of at most n * epsilon / 2, relative to itself.
bool are_close(double a, double b, std::uint64_t terms) {
  return std::fabs(a - b) <= static_cast<double>(terms) * std::numeric_limits<double>::epsilon() * a;
}

template <class F>
sums timed(double& seconds, F f) {
  const auto begin = std::chrono::steady_clock::now();
  const sums result = f();
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

// The argument at `place`, or `usual` if there is none.
std::uint64_t number_at(std::span<char*> arguments, std::size_t place, std::string_view name, std::uint64_t usual,
                        std::uint64_t most) {
  if (place >= arguments.size()) return usual;
  const std::string text = arguments[place];
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size() && number >= 1 && number <= most) return number;
  throw std::invalid_argument(std::string(name) + " is '" + text + "', not a whole number from 1 to " +
                              std::to_string(most));
}

int estimate(std::span<char*> arguments) {
  if (arguments.size() > 3)
    throw std::invalid_argument(std::string("there is one argument too many: '") + arguments[3] + "'");
  const std::uint64_t paths = number_at(arguments, 1, "PATHS", 60'000, 1'000'000'000);
  const std::uint64_t steps = number_at(arguments, 2, "STEPS", 50, 100'000);

  double serial_seconds = 0;
  const sums expected = timed(serial_seconds, [&] { return serial(paths, steps); });
  std::printf("%-10s %8s %6s  %s\n%-10s %8.3f\n", "", "seconds", "ratio", "bits of the sum", "serial", serial_seconds);

  bool right = true;
  sums first;
  for (const std::uint64_t workers : {1U, 2U, 5U}) {
    leat::runtime rt({.workers = workers});
    double seconds = 0;
    const sums found = timed(seconds, [&] { return rt.run([&] { return parallel(paths, steps); }); });
    std::printf("%llu %-8s %8.3f %6.2f  %016llx\n", static_cast<unsigned long long>(workers),
                workers == 1 ? "worker" : "workers", seconds, serial_seconds / seconds,
                static_cast<unsigned long long>(bits_of(found)[0]));
    if (workers == 1) first = found;
    right = right && bits_of(found) == bits_of(first) && found.paid == expected.paid &&
            are_close(found.payoffs, expected.payoffs, paths) && are_close(found.squares, expected.squares, paths);
  }

  const double n = static_cast<double>(paths), price = first.payoffs / n;
  const double error = std::sqrt(std::fmax(first.squares / n - price * price, 0) / n);
  std::printf("the option is worth %.3f, standard error %.3f; %.1f %% of the paths pay\n", price, error,
              100 * static_cast<double>(first.paid) / n);
  if (!right) std::fprintf(stderr, "monte_carlo: the sums differ\n");
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return estimate({argv, static_cast<std::size_t>(argc)});
  } catch (const std::invalid_argument& e) {
    std::fprintf(stderr, "monte_carlo: %s\nusage: monte_carlo [PATHS [STEPS]]\n", e.what());
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "monte_carlo: %s\n", e.what());
    return 1;
  }
}
