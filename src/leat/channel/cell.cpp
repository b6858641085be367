#include "leat/channel/cell.hpp"

#include <stdexcept>
#include <string>

namespace leat::inline LEAT_ABI::channels {

std::size_t checked_capacity(const char* channel, std::size_t capacity, std::size_t capacity_max) {
  if (capacity < 1 || capacity > capacity_max) {
    throw std::invalid_argument("leat: the capacity of a " + std::string(channel) + " is " + std::to_string(capacity) +
                                ", not between 1 and " + std::to_string(capacity_max));
  }
  return capacity;
}

}  // namespace leat::inline LEAT_ABI::channels
