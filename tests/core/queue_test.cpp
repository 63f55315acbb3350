// SPDX-License-Identifier: Apache-2.0
#include "core/queue.h"

#include <memory>
#include <thread>

#include <gtest/gtest.h>

namespace feedrate {
namespace {

TEST(BlockingQueue, gives_items_in_the_order_they_came) {
  BlockingQueue<int> queue;
  queue.push(1);
  queue.push(2);
  EXPECT_EQ(queue.pop({}), 1);
  EXPECT_EQ(queue.pop({}), 2);
}

TEST(BlockingQueue, wakes_a_waiting_thread) {
  BlockingQueue<std::unique_ptr<int>> queue;
  std::unique_ptr<int> got;
  {
    const std::jthread consumer([&](const std::stop_token& stop) { got = *queue.pop(stop); });
    queue.push(std::make_unique<int>(7));
  }
  // The destructor of `consumer` requests a stop; the item pushed before it must still arrive.
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, 7);
}

TEST(BlockingQueue, gives_up_when_a_stop_is_requested) {
  BlockingQueue<int> queue;
  std::stop_source stop;
  std::optional<int> got = 1;
  {
    const std::jthread consumer([&] { got = queue.pop(stop.get_token()); });
    stop.request_stop();
  }
  EXPECT_EQ(got, std::nullopt);
}

TEST(BlockingQueue, gives_up_after_the_timeout) {
  BlockingQueue<int> queue;
  EXPECT_EQ(queue.pop({}, std::chrono::milliseconds(1)), std::nullopt);
  queue.push(7);
  EXPECT_EQ(queue.pop({}, std::chrono::milliseconds(1)), 7);
}

TEST(BlockingQueue, what_is_pushed_to_the_front_comes_first) {
  BlockingQueue<int> queue;
  queue.push(1);
  queue.push_front(2);
  EXPECT_EQ(queue.pop({}), 2);
  EXPECT_EQ(queue.pop({}), 1);
}

}  // namespace
}  // namespace feedrate
