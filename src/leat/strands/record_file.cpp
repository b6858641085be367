#include "leat/strands/record_file.hpp"

#include <cinttypes>
#include <cstdio>

#include "leat/handshake/spin_lock.hpp"
#include "leat/platform/native.hpp"
#include "leat/platform/thread_view.hpp"

namespace leat::inline LEAT_ABI::strands {

namespace {

constexpr int format = 1;

using holding = handshake::holding<platform::native>;

// Of the words below, and of the file. A thread holds it while the system takes a chunk; the others have waited for the disk, too.
constinit handshake::spin_lock<platform::native> lock;
std::FILE* recording = nullptr;
long workers_at = 0;  // where the number of threads stands in the file
long sampled_at = 0;  // and the grain
bool failed = false;

// Of a fixed width, so that the numbers can be written at the end.
void write_workers(std::uint32_t workers) { std::fprintf(recording, "workers %010" PRIu32 "\n", workers); }
void write_sampled(std::uint64_t bytes) { std::fprintf(recording, "sampled %010" PRIu64 "\n", bytes); }

}  // namespace

bool open_recording(const char* path, std::uint64_t clock_ns) {
  const holding mine(lock);
  recording = std::fopen(path, "wb");
  failed = recording == nullptr;
  if (failed) return false;
  std::setvbuf(recording, nullptr, _IONBF, 0);  // a forked child would write the buffer once more when it exits
  std::fprintf(recording, "%s strands %d\n", "leat", format);
  std::fprintf(recording, "program %s\n", platform::command_line().c_str());
  workers_at = std::ftell(recording);
  write_workers(0);
  std::fprintf(recording, "clock_ns %" PRIu64 "\n", clock_ns);
  sampled_at = std::ftell(recording);
  write_sampled(1);
  std::fprintf(recording, "\n");
  failed = std::ferror(recording) != 0;
  return true;
}

void write_chunk(const std::uint8_t* bytes, std::size_t size) noexcept {
  const holding mine(lock);
  if (recording == nullptr) return;
  if (std::fwrite(bytes, 1, size, recording) != size) failed = true;
}

bool close_recording(std::uint32_t workers, std::uint64_t grain) {
  const holding mine(lock);
  if (recording == nullptr) return !failed;
  // A recording with a part missing keeps the number 0, by which a reader knows that it was not finished.
  if (!failed && workers_at >= 0 && std::fseek(recording, workers_at, SEEK_SET) == 0) write_workers(workers);
  // No subtree takes less than one byte: all is recorded.
  if (sampled_at >= 0 && std::fseek(recording, sampled_at, SEEK_SET) == 0) write_sampled(grain == 0 ? 1 : grain);
  if (std::ferror(recording) != 0) failed = true;
  if (std::fclose(recording) != 0) failed = true;
  recording = nullptr;
  return !failed;
}

}  // namespace leat::inline LEAT_ABI::strands
