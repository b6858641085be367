#include "resources.hpp"

#include <dirent.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "operations.hpp"

#if defined(LEAT_SOAK_SANITIZED)
#include <sanitizer/allocator_interface.h>
#endif

namespace soak {

namespace {

/// Names in a folder, without "." and "..".
std::uint64_t entries(const char* folder) {
  DIR* const open = opendir(folder);
  if (open == nullptr) throw std::runtime_error("soak: cannot read a folder of /proc");
  std::uint64_t n = 0;
  while (readdir(open) != nullptr) ++n;
  closedir(open);
  return n - 2;
}

std::uint64_t resident_bytes() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  unsigned long pages = 0, resident = 0;
  const bool read = file != nullptr && std::fscanf(file, "%lu %lu", &pages, &resident) == 2;
  if (file != nullptr) std::fclose(file);
  if (!read) throw std::runtime_error("soak: cannot read /proc/self/statm");
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t allocated_bytes() {
#if defined(LEAT_SOAK_SANITIZED)
  return __sanitizer_get_current_allocated_bytes();
#else
  const auto in_use = mallinfo2();
  return in_use.uordblks + in_use.hblkhd;
#endif
}

double median(std::vector<resources> some, std::uint64_t resources::* of) {
  const auto middle = some.begin() + static_cast<std::ptrdiff_t>(some.size() / 2);
  std::nth_element(some.begin(), middle, some.end(),
                   [of](const resources& a, const resources& b) { return a.*of < b.*of; });
  return static_cast<double>(*middle.*of);
}

}  // namespace

resources measured(double seconds) {
  malloc_trim(0);
  return {seconds, resident_bytes(), allocated_bytes(), entries("/proc/self/task"),
          entries("/proc/self/fd") - 1};  // -1: the folder itself
}

samples::samples() : kept_(kept_max) {}

void samples::add(const resources& r) {
  memory_max_ = std::max(memory_max_, r.memory_bytes);
  last_ = r;
  if (++since_ < every_) return;
  since_ = 0;
  if (count_ == kept_max) {
    for (std::size_t i = 0; i < kept_max / 2; ++i) kept_[i] = kept_[2 * i + 1];
    count_ = kept_max / 2;
    every_ *= 2;
  }
  kept_[count_++] = r;
}

std::optional<double> samples::growth(std::uint64_t resources::* of, double warm_seconds,
                                      std::size_t warm_samples) const {
  const auto end = kept_.begin() + static_cast<std::ptrdiff_t>(count_);
  const auto first = kept_.begin() + static_cast<std::ptrdiff_t>(std::min(warm_samples / every_, count_));
  const auto begin = std::find_if(first, end, [&](const resources& r) { return r.seconds >= warm_seconds; });
  const auto third = (end - begin) / 3;
  if (end - begin < static_cast<std::ptrdiff_t>(needed_min)) return std::nullopt;
  return median({end - third, end}, of) / median({begin, begin + third}, of) - 1;
}

std::vector<double> samples::course(std::uint64_t resources::* of) const {
  constexpr std::size_t parts = 10;
  std::vector<double> all;
  const auto at = [&](std::size_t part) { return kept_.begin() + static_cast<std::ptrdiff_t>(count_ * part / parts); };
  for (std::size_t part = 0; part != parts; ++part) {
    if (at(part) != at(part + 1)) all.push_back(median({at(part), at(part + 1)}, of));
  }
  return all;
}

}  // namespace soak
