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
};

/// Reads FILE, FILE,span or FILE,record, or both words. In FILE, `%p` stands for the number of the process.
/// \throws std::invalid_argument  no file, or another word; the message names it
request read_request(std::string_view text, std::uint64_t process);

}  // namespace leat::inline LEAT_ABI::profile
