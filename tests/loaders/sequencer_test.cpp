// SPDX-License-Identifier: Apache-2.0
#include "loaders/sequencer.h"

#include <gtest/gtest.h>

namespace feedrate {
namespace {

BatchResult result(std::uint64_t sequence) { return {sequence, 0, {}, Batch{}}; }

TEST(StrictSequencer, holds_back_what_came_early) {
  const auto sequencer = make_strict_sequencer();
  sequencer->add(result(1));
  EXPECT_FALSE(sequencer->take());
  sequencer->add(result(0));
  EXPECT_EQ(sequencer->take()->sequence, 0U);
  EXPECT_EQ(sequencer->take()->sequence, 1U);
  EXPECT_FALSE(sequencer->take());
}

TEST(StrictSequencer, begins_anew_after_a_reset) {
  const auto sequencer = make_strict_sequencer();
  sequencer->add(result(0));
  EXPECT_TRUE(sequencer->take());
  sequencer->add(result(2));
  sequencer->reset();
  EXPECT_FALSE(sequencer->take());
  sequencer->add(result(0));
  EXPECT_TRUE(sequencer->take());
}

TEST(AsCompletedSequencer, hands_out_what_came_first) {
  const auto sequencer = make_as_completed_sequencer();
  sequencer->add(result(5));
  sequencer->add(result(0));
  EXPECT_EQ(sequencer->take()->sequence, 5U);
  EXPECT_EQ(sequencer->take()->sequence, 0U);
  EXPECT_FALSE(sequencer->take());
}

}  // namespace
}  // namespace feedrate
