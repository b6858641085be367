// The file of a recording.
#pragma once

#include <cstddef>
#include <cstdint>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::strands {

/// Begins the file. Returns whether it can be written.
/// \param clock_ns  the cost of one reading of the clock
bool open_recording(const char* path, std::uint64_t clock_ns);

/// Adds a chunk: its head and its bytes. Any thread. Without a file it does nothing.
void write_chunk(const std::uint8_t* bytes, std::size_t size) noexcept;

/// Ends the file, which `workers` threads have written to. Chunks that come later are dropped. Returns whether all could be written.
/// \param grain  of subtrees of fewer bytes only the sums were recorded at last; 0: all was recorded
bool close_recording(std::uint32_t workers, std::uint64_t grain);

}  // namespace leat::inline LEAT_ABI::strands
