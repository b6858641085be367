// A server whose requests may wait for each other. A thread of its own watches the clock: if a request is late, the log
// gets a description of what all workers do, and for what they wait. Here one request waits for a price that another
// program sends, and that program is slow.

#include <leat/describe.hpp>
#include <leat/leat.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <sstream>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;

// Asks what the workers do if the answer is not there in time, and waits on.
template <class Answer>
std::string description_if_late(const std::future<Answer>& answer, std::chrono::milliseconds limit) {
  if (answer.wait_for(limit) == std::future_status::ready) return {};
  std::ostringstream text;
  leat::describe(text);
  return std::move(text).str();
}

struct order {
  int items;
  std::shared_future<int> price;  // sent from elsewhere
};

// The stock is counted by a task, while the request waits for the price. The wait is no wait of leat: its worker sleeps.
int worth(const order& o) {
  auto in_stock = leat::async([&o] { return o.items < 100 ? o.items : 100; });
  return in_stock.get() * o.price.get();
}

}  // namespace

int main() {
  leat::options o;
  o.workers = 2;
  o.hang_report_s = leat::hang_report_on_request;  // so that a description names source lines
  leat::runtime rt(o);

  std::promise<int> price;
  const order asked{12, price.get_future().share()};
  std::promise<int> worth_of_order;
  std::future<int> answer = worth_of_order.get_future();
  std::thread serving([&] { worth_of_order.set_value(rt.run([&] { return worth(asked); })); });

  const std::string late = description_if_late(answer, 200ms);
  std::fputs(late.c_str(), stdout);
  price.set_value(3);
  serving.join();

  const bool told = late.find("2 workers") != std::string::npos && late.find("a run is under way") != std::string::npos;
  const int got = answer.get();
  std::printf("the order is worth %d\n", got);
  return told && got == 36 ? EXIT_SUCCESS : EXIT_FAILURE;
}
