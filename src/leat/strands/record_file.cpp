#include "leat/strands/record_file.hpp"

#include <cinttypes>
#include <cstdio>

#include "leat/platform/thread_view.hpp"

namespace leat::inline LEAT_ABI::strands {

namespace {

constexpr int format = 1;

std::FILE* recording = nullptr;
long workers_at = 0;  // where the number of threads stands in the file
bool failed = false;

// Of a fixed width, so that the number can be written at the end.
void write_workers(std::uint32_t workers) { std::fprintf(recording, "workers %010" PRIu32 "\n", workers); }

}  // namespace

bool open_recording(const char* path, std::uint64_t clock_ns) {
  recording = std::fopen(path, "wb");
  failed = recording == nullptr;
  if (failed) return false;
  std::setvbuf(recording, nullptr, _IONBF, 0);  // a forked child would write what lies in the buffer once more
  std::fprintf(recording, "%s strands %d\n", "leat", format);
  std::fprintf(recording, "program %s\n", platform::command_line().c_str());
  workers_at = std::ftell(recording);
  write_workers(0);
  std::fprintf(recording, "clock_ns %" PRIu64 "\nsampled 1\n\n", clock_ns);
  return true;
}

// One call of fwrite: the C library keeps calls of several threads apart.
void write_chunk(const std::uint8_t* bytes, std::size_t size) noexcept {
  if (recording == nullptr) return;
  if (std::fwrite(bytes, 1, size, recording) != size) failed = true;
}

void forget_recording() noexcept { recording = nullptr; }

bool close_recording(std::uint32_t workers) {
  if (recording == nullptr) return !failed;
  if (workers_at >= 0 && std::fseek(recording, workers_at, SEEK_SET) == 0) write_workers(workers);
  if (std::fclose(recording) != 0) failed = true;
  recording = nullptr;
  return !failed;
}

}  // namespace leat::inline LEAT_ABI::strands
