// SPDX-License-Identifier: Apache-2.0
#include "formats/datasets/in_order.h"

#include <atomic>
#include <latch>

#include "tests/support/matchers.h"

namespace feedrate {
namespace {

using Work = std::function<int(std::size_t)>;

TEST(InOrder, delivers_results_in_order_though_the_first_is_the_last_to_be_ready) {
  std::latch others_done(3);
  std::vector<int> seen;
  in_order<int>(
      "testing", 4, {.threads = 4},
      [&]() -> Work {
        return [&](std::size_t item) {
          if (item == 0) {
            others_done.wait();
          } else {
            others_done.count_down();
          }
          return static_cast<int>(item) * 10;
        };
      },
      [&](std::size_t, int result) { seen.push_back(result); });
  EXPECT_THAT(seen, ElementsAre(0, 10, 20, 30));
}

TEST(InOrder, starts_no_more_items_ahead_of_a_slow_one_than_the_window_has_slots) {
  constexpr std::size_t kWindow = 3;
  ReorderWindow<int> window(100, kWindow);
  std::stop_source stop;
  for (std::size_t item = 0; item < kWindow; ++item) {
    EXPECT_EQ(window.claim(stop.get_token()), item);
  }
  window.put(1, {.result = 1, .error = {}});
  window.put(2, {.result = 2, .error = {}});
  std::atomic<bool> taken = false;
  std::jthread worker([&] {
    EXPECT_EQ(window.claim(stop.get_token()), kWindow);
    EXPECT_TRUE(taken) << "claimed while item 0 still held the window";
  });
  taken = true;
  window.put(0, {.result = 0, .error = {}});
  EXPECT_EQ(window.take({}), 0);
}

TEST(InOrder, throws_the_first_error_in_order_after_the_results_before_it) {
  std::vector<std::size_t> seen;
  const auto run = [&] {
    in_order<int>(
        "testing", 100, {.threads = 3},
        []() -> Work {
          return [](std::size_t item) -> int {
            if (item >= 5) throw FormatError("item " + std::to_string(item));
            return 0;
          };
        },
        [&](std::size_t item, int) { seen.push_back(item); });
  };
  EXPECT_THAT(run, ::testing::ThrowsMessage<FormatError>("item 5"));
  EXPECT_EQ(seen.size(), 5U);
}

TEST(InOrder, throws_what_a_worker_that_cannot_start_throws) {
  const auto run = [] {
    in_order<int>(
        "testing", 3, {.threads = 2}, []() -> Work { throw FormatError("no cursor"); },
        [](std::size_t, int) { FAIL() << "nothing can arrive"; });
  };
  EXPECT_THAT(run, ::testing::ThrowsMessage<FormatError>("no cursor"));
}

TEST(InOrder, is_cancelled_by_its_stop_token_between_items) {
  std::stop_source stop;
  std::size_t consumed = 0;
  const auto run = [&] {
    in_order<int>(
        "testing", 1000, {.threads = 2, .stop = stop.get_token()},
        []() -> Work { return [](std::size_t) { return 0; }; },
        [&](std::size_t, int) {
          if (++consumed == 7) stop.request_stop();
        });
  };
  EXPECT_THROW(run(), Cancelled);
  EXPECT_EQ(consumed, 7U);
}

TEST(InOrder, reports_its_action_and_each_item) {
  std::string action;
  std::size_t total = 0;
  std::size_t done = 0;
  const Job job{.threads = 1,
                .stop = {},
                .on_start =
                    [&](std::string_view what, std::size_t count) {
                      action = what;
                      total = count;
                    },
                .on_advance = [&](std::size_t count) { done += count; }};
  in_order<int>(
      "testing", 5, job, []() -> Work { return [](std::size_t) { return 0; }; },
      [](std::size_t, int) {});
  EXPECT_EQ(action, "testing");
  EXPECT_EQ(total, 5U);
  EXPECT_EQ(done, 5U);
}

}  // namespace
}  // namespace feedrate
