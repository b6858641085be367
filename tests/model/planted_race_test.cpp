// The explorer is worth what it finds: each race is planted into the model, never into the protocol, and must be found;
// the same client without the plant must be clean.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <string>

#include "model/explorer.hpp"

namespace {

using leat::model::client;
using leat::model::explore;
using leat::model::plant;
using leat::model::report;

void expect_found(client c, plant race, const std::string& violation) {
  const report clean = explore(c);
  EXPECT_EQ(clean.violation, "") << clean.trace;
  c.planted = race;
  const report r = explore(c);
  EXPECT_THAT(r.violation, ::testing::HasSubstr(violation)) << r.trace;
  std::cout << "found after " << r.states << " states, by " << std::count(r.trace.begin(), r.trace.end(), '\n')
            << " steps\n";
}

client leaves(unsigned count, unsigned workers = 2, unsigned starting = 0) {
  client c;
  c.spawn_leaves(c.run(), count);
  c.workers = workers;
  c.starting = starting;
  return c;
}

TEST(planted_race, thief_updates_the_manager_itself) {
  expect_found(leaves(1, 2, 2), plant::thief_updates, "a run is finished too early");
}

// A thief that the manager counts under one run is served by another: the other one ends before it tells.
TEST(planted_race, thief_updates_the_manager_itself_across_runs) {
  client c;
  c.workers = 3;
  c.spawn_leaves(c.run(), 1);
  c.spawn_leaves(c.run(), 2);
  c.planted = plant::thief_updates;
  const report r = explore(c);
  EXPECT_EQ(r.violation, "a run is finished too early") << r.trace;
}

// A task waits for its first child and says that it is idle; the root, in its barrier, has just executed that child.
TEST(planted_race, worker_inside_a_task_claims_to_be_idle) {
  client c;
  const auto root = c.run();
  const auto task = c.spawn(root);
  const auto first = c.spawn(task);
  c.spawn(task);
  c.wait(task, first).barrier(root);
  expect_found(c, plant::claims_idle, "a barrier is released too early");
}

TEST(planted_race, updates_and_requests_on_two_channels) {
  expect_found(leaves(1, 2, 2), plant::two_channels, "a run is finished too early");
}

TEST(planted_race, released_root_is_not_counted) {
  client c;
  const auto root = c.run();
  c.barrier(root).barrier(root);
  expect_found(c, plant::release_uncounted, "a run is finished too early");
}

TEST(planted_race, channel_closed_without_draining) {
  expect_found(leaves(1, 2, 1), plant::close_without_drain, "a request is stuck in the closed channel");
}

TEST(planted_race, victim_asked_before_the_request_is_sent) {
  expect_found(leaves(2, 2, 2), plant::raise_first, "which is not asked to poll");
}

TEST(planted_race, refused_request_dropped) {
  expect_found(leaves(2), plant::refused_dropped, "w0 has 0 requests on the way, wanted 1");
}

TEST(planted_race, thief_of_a_request_handed_over_is_not_counted) {
  expect_found(leaves(1), plant::offer_uncounted, "a run is finished too early");
}

TEST(planted_race, request_taken_back_while_the_message_stays_valid) {
  client c = leaves(1);
  c.take_backs = 1;
  expect_found(c, plant::two_holders, "has 2 requests on the way, wanted 1");
}

TEST(planted_race, revoked_request_forbids_the_next_offer) {
  client c = leaves(1, 3);
  c.take_backs = 1;
  expect_found(c, plant::late_revoked, "and will not offer them");
}

TEST(planted_race, offers_before_the_channel_is_open) {
  expect_found(leaves(1), plant::closed_poll, "is nobody's victim, and has tasks");
}

client waiting() {
  client c;
  const auto root = c.run();
  return c.wait(root, c.spawn(root));
}

TEST(planted_race, request_not_recalled) {
  expect_found(waiting(), plant::not_recalled, "at the end run 1 never ends");
}

// Nobody stands still, and yet nothing comes of it.
TEST(planted_race, request_not_recalled_by_a_worker_that_spins) {
  expect_found(waiting(), plant::not_recalled_spins, "no end can be reached any more");
}

TEST(planted_race, who_begins_to_work_by_an_update_is_not_asked) {
  client c;
  c.workers = 3;
  c.starting = 3;
  const auto root = c.run();
  c.spawn(root);
  expect_found(c, plant::update_not_asked, "is not asked to poll");
}

TEST(planted_race, nobody_asked_when_the_first_request_is_pooled) {
  expect_found(leaves(1, 2, 2), plant::lost_ask, "is not asked to poll");
}

// The root of a run leaves its barrier in the step in which the last worker of the run becomes idle.
TEST(planted_race, request_that_replaces_another_is_not_seen) {
  client c;
  c.workers = 3;
  const auto one = c.run();
  c.spawn_leaves(one, 1).barrier(one);
  c.spawn_leaves(c.run(), 1);
  expect_found(c, plant::swap_unseen, "and will not offer them");
}

}  // namespace
