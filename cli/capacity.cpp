#include "capacity.hpp"

#include <leat/platform/chosen.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace leat::cli {

namespace {

// Threads that are waited for, whatever happens to whoever started them.
class crowd {
 public:
  explicit crowd(unsigned most) { threads_.reserve(most); }
  crowd(const crowd&) = delete;
  crowd& operator=(const crowd&) = delete;
  ~crowd() {
    for (auto& thread : threads_) thread.join();
  }

  template <class F>
  void start(F f) {
    threads_.emplace_back(std::move(f));
  }

 private:
  std::vector<platform::chosen::thread> threads_;
};

double run_at_once(unsigned threads, const std::function<double(unsigned)>& serial) {
  std::vector<double> seconds(threads);
  std::vector<std::exception_ptr> failures(threads);
  const auto part = [&](unsigned thread) {
    try {
      seconds[thread] = serial(thread);
    } catch (...) {
      failures[thread] = std::current_exception();
    }
  };
  {
    crowd others(threads);
    for (unsigned thread = 1; thread < threads; ++thread) others.start([&part, thread] { part(thread); });
    part(0);
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  return *std::ranges::max_element(seconds) / threads;
}

}  // namespace

reference capacity(unsigned threads, std::function<double(unsigned)> serial) {
  return {std::string(capacity_name), [threads, serial = std::move(serial)] { return run_at_once(threads, serial); }};
}

}  // namespace leat::cli
