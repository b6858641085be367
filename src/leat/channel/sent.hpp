// What became of a message that was offered to a channel.
#pragma once

namespace leat::channels {

enum class sent {
  ok,      ///< the channel has the message
  full,    ///< no room; the caller still has the message
  closed,  ///< the channel takes no more; the caller still has the message
};

}  // namespace leat::channels
