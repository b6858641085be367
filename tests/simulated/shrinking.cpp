#include "shrinking.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>

namespace leat_test {

namespace {

using leat::platform::fault_plan;
using leat::platform::preemption;

class shrinker {
 public:
  shrinker(failing_plan plan, const std::string& kind,
           const std::function<std::string(const failing_plan&)>& failure_of, std::size_t runs_max)
      : plan_(std::move(plan)), kind_(kind), failure_of_(failure_of), runs_left_(runs_max) {}

  failing_plan shrunk() {
    drop_faults();
    drop_preemptions();
    drop_faults();
    return plan_;
  }

 private:
  bool take_if_it_fails(const failing_plan& smaller) {
    if (runs_left_ == 0) return false;
    --runs_left_;
    if (kind_of(failure_of_(smaller)) != kind_) return false;
    plan_ = smaller;
    return true;
  }

  void drop_faults() {
    for (std::uint64_t fault_plan::* const number :
         {&fault_plan::wake_late_ns, &fault_plan::wake_bunch_ns, &fault_plan::signal_late_ns, &fault_plan::thread_fails,
          &fault_plan::memory_fails}) {
      if (plan_.faults.*number == 0) continue;
      failing_plan smaller = plan_;
      smaller.faults.*number = 0;
      take_if_it_fails(smaller);
    }
    for (std::size_t i = plan_.faults.stalls.size(); i-- > 0;) {
      failing_plan smaller = plan_;
      smaller.faults.stalls.erase(smaller.faults.stalls.begin() + static_cast<std::ptrdiff_t>(i));
      take_if_it_fails(smaller);
    }
  }

  void drop_preemptions() {
    for (std::size_t part = std::max<std::size_t>(plan_.preemptions.size(), 1);;) {
      bool dropped = false;
      // The last ones first: what comes after the failure's cause is not needed, and changes nothing before it.
      for (std::size_t end = plan_.preemptions.size(); end != 0 && runs_left_ != 0;) {
        const std::size_t begin = end > part ? end - part : 0;
        failing_plan smaller = plan_;
        smaller.preemptions.erase(smaller.preemptions.begin() + static_cast<std::ptrdiff_t>(begin),
                                  smaller.preemptions.begin() + static_cast<std::ptrdiff_t>(end));
        dropped |= take_if_it_fails(smaller);
        end = begin;
      }
      if (part == 1 && (!dropped || runs_left_ == 0)) return;
      part = std::max<std::size_t>(part / 2, 1);
    }
  }

  failing_plan plan_;
  const std::string kind_;
  const std::function<std::string(const failing_plan&)>& failure_of_;
  std::size_t runs_left_;
};

}  // namespace

std::string kind_of(const std::string& failure) {
  std::string kind;
  std::copy_if(failure.begin(), std::find(failure.begin(), failure.end(), '\n'), std::back_inserter(kind),
               [](unsigned char c) { return std::isdigit(c) == 0; });
  return kind;
}

failing_plan shrink(failing_plan plan, const std::string& kind,
                    const std::function<std::string(const failing_plan&)>& failure_of, std::size_t runs_max) {
  return shrinker(std::move(plan), kind, failure_of, runs_max).shrunk();
}

std::string describe(const failing_plan& plan) {
  std::string text;
  const auto number = [&](const char* what, std::uint64_t n) {
    if (n != 0) text += std::string("  ") + what + " " + std::to_string(n) + "\n";
  };
  for (const fault_plan::stall& s : plan.faults.stalls) {
    text += "  thread " + std::to_string(s.thread) + " stalls for " + std::to_string(s.ns) + " ns at its step " +
            std::to_string(s.step) + "\n";
  }
  number("wake-ups come late, by up to ns", plan.faults.wake_late_ns);
  number("wake-ups come in bunches, by ns", plan.faults.wake_bunch_ns);
  number("signals come late, by up to ns", plan.faults.signal_late_ns);
  number("cannot be started: thread", plan.faults.thread_fails);
  number("fails: allocation", plan.faults.memory_fails);
  for (const preemption& p : plan.preemptions) {
    text += "  thread " + std::to_string(p.thread) + ", at its turn " + std::to_string(p.turn) +
            (p.to == preemption::refuses_signal ? ", does not take the signal"
                                                : ", gives way to thread " + std::to_string(p.to)) +
            "\n";
  }
  return text.empty() ? "  no fault, no preemption\n" : text;
}

}  // namespace leat_test
