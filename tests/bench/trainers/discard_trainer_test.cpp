// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "bench/trainers/trainer.h"

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

// Takes 3 ms to free, like shared memory, whose pages return to the system.
class SlowToFree final : public BatchMemory {
 public:
  explicit SlowToFree(ManualClock& clock) : clock_(clock) {}
  ~SlowToFree() override { clock_.sleep_for(std::chrono::milliseconds(3)); }
  SlowToFree(const SlowToFree&) = delete;
  SlowToFree& operator=(const SlowToFree&) = delete;
  MutableBytes bytes() const noexcept override { return {}; }
  HostMemory kind() const noexcept override { return HostMemory::kPageable; }

 private:
  ManualClock& clock_;
};

TEST(DiscardTrainer, freeing_the_batch_is_part_of_its_loading_time) {
  ManualClock clock;
  Batch batch;
  batch.buffer = std::make_shared<SlowToFree>(clock);
  EXPECT_EQ(make_discard_trainer(clock)->step(std::move(batch)).copied,
            std::chrono::milliseconds(3));
}

}  // namespace
}  // namespace feedrate
