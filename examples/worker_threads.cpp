// Gives the workers of a runtime names, stacks and a buffer each, which their threads open when they begin and close when they end.
#include <leat/leat.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

// Of one thread. A runtime's destructor returns when all of them are closed.
struct buffer {
  std::string text;
  bool open = false;
};
thread_local buffer mine;

std::atomic<int> opened{0};
std::atomic<int> closed{0};
std::atomic<std::size_t> bytes{0};

void open_buffer(std::uint32_t) {
  mine.text.reserve(1 << 12);
  mine.open = true;
  ++opened;
}

void close_buffer(std::uint32_t) {
  bytes += mine.text.size();
  mine.open = false;
  ++closed;
}

}  // namespace

int main() {
  constexpr int lines = 10'000;
  std::atomic<int> without{0};
  {
    leat::runtime rt({.workers = 4,
                      .thread_name = "writer",
                      .stack_size = 1 << 20,
                      .thread_begin = open_buffer,
                      .thread_end = close_buffer});
    rt.run([&] {
      leat::parallel_for(0, lines, [&](int) {
        if (mine.open) mine.text += "line\n";
        else ++without;
      });
    });
  }
  std::printf("%zu bytes by %d threads\n", bytes.load(), closed.load());
  return opened == 4 && closed == 4 && without == 0 && bytes == std::size_t{lines} * 5 ? 0 : 1;
}
