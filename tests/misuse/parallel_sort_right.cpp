// compiles
#include <leat/leat.hpp>

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

int main() {
  leat::runtime rt;
  rt.run([] {
    std::vector<std::unique_ptr<int>> pointers;
    leat::parallel_sort(pointers);
    leat::parallel_stable_sort(pointers, [](const auto& a, const auto& b) { return *a < *b; });
    std::deque<std::string> words;
    leat::parallel_sort(words.begin(), words.end(), [](auto& a, auto& b) { return a.size() < b.size(); });
    int numbers[] = {2, 1};
    leat::parallel_stable_sort(numbers, numbers + 2);
    leat::parallel_sort(std::span(numbers));
    leat::parallel_inclusive_scan(numbers, numbers + 2, numbers);
  });
}
