// How a loop is to be executed.
#pragma once

#include <cstdint>

#include "leat/loop/errors.hpp"
#include "leat/task/task_group.hpp"

namespace leat::inline LEAT_ABI {

/// How much is cut off from a loop for a worker that asks (Prell's thesis, 5.3; LOOP-4).
enum class splitting : std::uint8_t {
  adaptive,  ///< an equal share for each worker that asks, and one for the worker that is asked
  half,      ///< half of what is left
  guided,  ///< the first cut leaves 1/w of it, w being the number of workers, the next one 1/(w-1), and so on down to half
};

}  // namespace leat::inline LEAT_ABI

namespace leat::inline LEAT_ABI::loop {

/// See leat::loop_options.
/// - `chunk_min`: iterations in a chunk at least, and in a part that is cut off; not 0.
/// - `split`: how much is cut off.
/// - `stop`: the token of a group; when that is cancelled, no further chunk is begun (LOOP-6).
template <class P>
struct options {
  std::uint64_t chunk_min = 1;
  splitting split = splitting::adaptive;
  task::stop_token<P> stop = {};
};

template <class T>
inline constexpr bool is_options = false;
template <class P>
inline constexpr bool is_options<options<P>> = true;

/// Throws std::invalid_argument if an option makes no sense. A splitting may be out of range after a cast.
/// \param what  the public function, for the message
template <class P>
void check(const options<P>& o, const char* what) {
  if (o.chunk_min == 0 || o.split > splitting::guided) [[unlikely]]
    throw_bad_options(what, o.chunk_min, static_cast<unsigned>(o.split));
}

}  // namespace leat::inline LEAT_ABI::loop
