#include "kernels/pages.hpp"

#include <leat/platform/chosen.hpp>
#include <leat/platform/native.hpp>

#include <sys/mman.h>

#include <new>
#include <type_traits>

namespace leat::kernels {

void unmap::operator()(double* first) const noexcept {
  if (bytes == 0) delete[] first;
  else munmap(first, bytes);
}

untouched_numbers map_numbers(std::size_t count) {
  if (count > static_cast<std::size_t>(-1) / sizeof(double)) throw std::bad_alloc();
  if constexpr (!std::is_base_of_v<platform::native, platform::chosen>) return {new double[count], unmap{}};
  const std::size_t bytes = count * sizeof(double);
  void* const first = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (first == MAP_FAILED) throw std::bad_alloc();
  return {static_cast<double*>(first), unmap{bytes}};
}

}  // namespace leat::kernels
