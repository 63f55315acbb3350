#include <gtest/gtest.h>

#include "trainers/trainer.h"

namespace feedrate {
namespace {

TEST(DiscardTrainer, takes_no_time_and_uses_no_device) {
  ManualClock clock;
  clock.sleep_for(std::chrono::seconds(1));
  const auto trainer = make_discard_trainer(clock);
  const StepTiming timing = trainer->step({});
  EXPECT_EQ(timing.copied, std::chrono::seconds(1));
  EXPECT_EQ(timing.trained, std::chrono::seconds(1));
  EXPECT_TRUE(trainer->finish().empty());
}

}  // namespace
}  // namespace feedrate
