// How long the threads of a channel's end pause first. Rule CHANNEL-7: docs/internals/user_channels.md.
#include <gtest/gtest.h>

#include <cstdint>

#include "leat/platform/chosen.hpp"
#include "leat/task/channel_patience.hpp"

namespace {

using leat::task::channel_tries;
using channel_pace = leat::task::channel_pace<leat::platform::chosen>;

TEST(channel_pace, doubles_while_pauses_bring_many_messages) {
  channel_pace pace;
  for (std::uint32_t relaxes = 1; relaxes <= channel_tries::relaxes_max; relaxes *= 2) {
    EXPECT_EQ(pace.first_pause(), relaxes);
    pace.note(relaxes / 2 + 1, relaxes);
  }
  EXPECT_EQ(pace.first_pause(), channel_tries::relaxes_max);
}

TEST(channel_pace, halves_when_a_pause_brings_few) {
  channel_pace pace;
  while (pace.first_pause() < channel_tries::relaxes_max) pace.note(pace.first_pause(), pace.first_pause());
  for (std::uint32_t relaxes = channel_tries::relaxes_max; relaxes >= 1; relaxes /= 2) {
    EXPECT_EQ(pace.first_pause(), relaxes);
    pace.note(relaxes / 2, relaxes);
  }
  pace.note(0, 1);
  EXPECT_EQ(pace.first_pause(), 1U);
}

TEST(channel_pace, stays_short_when_one_message_comes_at_a_time) {
  channel_pace pace;
  for (int message = 0; message < 100; ++message) {
    EXPECT_LE(pace.first_pause(), 2U);
    pace.note(1, pace.first_pause());
  }
}

}  // namespace
