// What became of a message that was offered to a channel.
#pragma once

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::channels {

enum class sent {
  ok,      ///< the channel has the message
  full,    ///< no room; the caller still has the message
  closed,  ///< the channel takes no more; the caller still has the message
};

}  // namespace leat::inline LEAT_ABI::channels
