// What the variable LEAT_PROFILE asks for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::profile {

struct request {
  std::string file;  ///< where the profile is written
  bool span = false;  ///< work and span, of programs that are compiled with LEAT_PROFILED
  bool record = false;  ///< the computation, for `leat predict`, of the same programs
  std::uint64_t record_bytes = 0;  ///< about how many the recording may take; 0: it is not said
  std::uint64_t workers = 0;  ///< standard algorithms divide their work among at least so many; 0: it is not said
};

/// Reads FILE, and the words behind it: span, record or record=MB, for=WORKERS, each after a comma. In FILE, `%p` stands for the number of the process.
/// \throws std::invalid_argument  no file, another word, or a number out of range; the message names it
request read_request(std::string_view text, std::uint64_t process);

}  // namespace leat::inline LEAT_ABI::profile
