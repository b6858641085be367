// What the process holds: memory, threads, descriptors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace soak {

struct resources {
  double seconds = 0;  ///< since the beginning of the sitting
  std::uint64_t memory_bytes = 0;     ///< resident
  std::uint64_t allocated_bytes = 0;  ///< by new and malloc
  std::uint64_t threads = 0;
  std::uint64_t descriptors = 0;
};

/// What the process holds now; free memory is given back to the system first, as far as the allocator can. It needs /proc.
resources measured(double seconds);

/// Samples of a sitting in the order of time, of which only so many are kept: when there is no room every other one is dropped,
/// and from then on every other new one is.
class samples {
 public:
  /// At most this many; the memory for them is taken at once.
  static constexpr std::size_t kept_max = 1 << 14;
  /// Too few to tell, if fewer than this remain after the warming up.
  static constexpr std::size_t needed_min = 30;

  samples();
  void add(const resources& r);

  /// How much of it has grown after the first `warm_seconds` and the first `warm_samples` that were added: the median of the
  /// last third of the samples over that of the first third, less 1. Nothing if there are too few.
  std::optional<double> growth(std::uint64_t resources::* of, double warm_seconds, std::size_t warm_samples = 0) const;

  /// The median of each tenth of the samples, in the order of time; fewer where there are fewer samples.
  std::vector<double> course(std::uint64_t resources::* of) const;

  std::uint64_t memory_max() const { return memory_max_; }
  const resources& last() const { return last_; }

 private:
  std::vector<resources> kept_;
  std::size_t count_ = 0;
  std::size_t every_ = 1;
  std::size_t since_ = 0;
  std::uint64_t memory_max_ = 0;
  resources last_;
};

/// The memory of a sitting must not grow by more than this part after the warming up. A shorter sitting than this is not judged: what
/// workers keep for the next time has not come to its bounds.
inline constexpr double growth_max = 0.01;
inline constexpr double judged_seconds_min = 600;

/// When all has ended, no more may be allocated than before the beginning, but for what glibc keeps for the two threads that are left:
/// seven blocks of each of 64 sizes, 520 bytes on average.
inline constexpr std::uint64_t left_bytes_max = std::uint64_t{2} * 64 * 7 * 520;

/// A tenth of a sitting, at most ten minutes.
constexpr double warm_seconds(double sitting_seconds) { return sitting_seconds < 6'000 ? sitting_seconds / 10 : 600; }

/// The warming up has so many spells at least: on a machine that is busy with other things ten minutes are few. Under
/// ThreadSanitizer a heap of 4.5 MB grew by 4 % from the 170th spell to the 720th, and by 0.04 % from there to the 1260th.
inline constexpr std::size_t warm_spells = 1'000;

}  // namespace soak
