// What a user of Parlay has: a program that includes nothing of leat.

#if !defined(PARLAY_SCHEDULER_H_)
#error "leat::parlay does not put its header first"
#endif

#include <cstdio>

int main() {
  parlay::fork_join_scheduler scheduler(2);
  long sum[2] = {0, 0};
  const auto add = [&](int which) {
    for (long i = which; i < 1000; i += 2) sum[which] += i;
  };
  scheduler.pardo([&] { add(0); }, [&] { add(1); });
  std::printf("parlay on leat: %ld\n", sum[0] + sum[1]);
  return sum[0] + sum[1] == 499500 ? 0 : 1;
}
