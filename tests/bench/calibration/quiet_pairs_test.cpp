// SPDX-License-Identifier: Apache-2.0
#include "bench/calibration/quiet_pairs.h"

#include <functional>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/message_of.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;

class ScriptedStarts final : public CellEngine {
 public:
  using Script = std::function<bool(std::size_t start)>;

  explicit ScriptedStarts(Script is_disturbed) : is_disturbed_(std::move(is_disturbed)) {}
  Repeat run(const CellSpec&, const std::stop_token&) override {
    const bool disturbs = is_disturbed_(starts_++);
    return {.metrics = {{"disturbed", disturbs ? 1.0 : 0.0},
                        {"cpus", 2.0},
                        {"foreign_cpu", disturbs ? 1.5 : 0.0}}};
  }

 private:
  Script is_disturbed_;
  std::size_t starts_ = 0;
};

class Pairs : public ::testing::Test {
 protected:
  void script(ScriptedStarts::Script native, ScriptedStarts::Script torch) {
    engines_ = {std::make_unique<ScriptedStarts>(std::move(native)),
                std::make_unique<ScriptedStarts>(std::move(torch))};
  }
  bool run() { return pairs_.run(engines_, {}, {}).has_value(); }

 private:
  OfBoth<std::unique_ptr<CellEngine>> engines_;
  QuietPairs pairs_;
};

bool never_disturbed(std::size_t) { return false; }
bool always_disturbed(std::size_t) { return true; }

TEST_F(Pairs, count_if_neither_start_is_disturbed) {
  script([](std::size_t start) { return start == 1; },
         [](std::size_t start) { return start == 2; });
  EXPECT_TRUE(run());
  EXPECT_FALSE(run());
  EXPECT_FALSE(run());
  EXPECT_TRUE(run());
}

TEST_F(Pairs, fail_if_all_stay_disturbed) {
  script(never_disturbed, always_disturbed);
  for (std::size_t i = 1; i < kMostDisturbedPairs; ++i) EXPECT_FALSE(run());
  EXPECT_THAT(testing::message_of<DisturbedCalibration>([&] { return run(); }),
              HasSubstr("used 1.50 of 2 CPUs in 6 of 12 repeats"));
}

TEST_F(Pairs, continue_if_most_are_undisturbed) {
  script(never_disturbed, [](std::size_t start) { return start % 3 == 0; });
  for (std::size_t i = 0; i < 10 * kMostDisturbedPairs; ++i) EXPECT_EQ(run(), i % 3 != 0);
}

// A start that is too short to measure foreign load counts as undisturbed.
TEST(WatchedEngine, measures_foreign_load_of_starts_that_are_long_enough) {
  class SleepingStarts final : public CellEngine {
   public:
    explicit SleepingStarts(Clock& clock) : clock_(clock) {}
    Repeat run(const CellSpec& cell, const std::stop_token&) override {
      clock_.sleep_for(std::chrono::milliseconds(cell.loader.batch_size));
      return {};
    }

   private:
    Clock& clock_;
  };
  SteadyClock clock;
  const auto engine =
      make_watched_engine(std::make_unique<SleepingStarts>(clock), std::chrono::minutes(1), clock);
  CellSpec cell;
  cell.loader.batch_size = 1;
  Repeat brief;
  Nanos begin{0};
  do {  // Another program may lengthen it.
    begin = clock.now();
    brief = engine->run(cell, {});
  } while (clock.now() - begin > std::chrono::milliseconds(150));
  EXPECT_EQ(find_metric(brief.metrics, "disturbed"), nullptr);
  cell.loader.batch_size = 300;
  const Repeat start = engine->run(cell, {});
  EXPECT_NE(find_metric(start.metrics, "disturbed"), nullptr);
  EXPECT_GE(*find_metric(start.metrics, "cpus"), 1.0);
}

}  // namespace
}  // namespace feedrate
