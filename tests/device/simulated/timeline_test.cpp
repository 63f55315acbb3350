// SPDX-License-Identifier: Apache-2.0
#include "device/simulated/timeline.h"

#include <gtest/gtest.h>

#include "tests/device/simulated/round_spec.h"

namespace feedrate {
namespace {

constexpr auto kToDevice = CopyDirection::kToDevice;
constexpr auto kToHost = CopyDirection::kToHost;
constexpr Nanos kNow{0};

BusySpan span(int start, int end) { return {Nanos(start), Nanos(end)}; }

class TimelineTest : public ::testing::Test {
 protected:
  SimulatedTimeline timeline_{round_spec()};
  StreamId one_ = timeline_.add_stream(StreamKind::kNonBlocking);
  StreamId two_ = timeline_.add_stream(StreamKind::kNonBlocking);
  StreamId blocking_ = timeline_.add_stream(StreamKind::kBlocking);
};

TEST_F(TimelineTest, a_burn_starts_after_the_launch_latency) {
  EXPECT_EQ(timeline_.burn(one_, Nanos(100), Nanos(1000)), span(1005, 1105));
}

TEST_F(TimelineTest, a_queued_burn_starts_when_the_one_before_ends) {
  timeline_.burn(one_, Nanos(100), kNow);
  EXPECT_EQ(timeline_.burn(one_, Nanos(100), Nanos(50)), span(105, 205));
}

TEST_F(TimelineTest, a_negative_burn_takes_no_time) {
  EXPECT_EQ(timeline_.burn(one_, Nanos(-100), kNow), span(5, 5));
}

TEST_F(TimelineTest, a_copy_takes_its_latency_and_its_bytes) {
  EXPECT_EQ(timeline_.copy(one_, kToDevice, 500, kNow), span(10, 510));
  EXPECT_EQ(timeline_.copy(two_, kToHost, 500, kNow), span(10, 260));
}

TEST_F(TimelineTest, copies_of_one_direction_take_turns) {
  timeline_.copy(one_, kToDevice, 500, kNow);
  EXPECT_EQ(timeline_.copy(two_, kToDevice, 100, kNow), span(510, 610));
}

TEST_F(TimelineTest, copies_of_both_directions_and_a_kernel_overlap) {
  EXPECT_EQ(timeline_.burn(blocking_, Nanos(500), kNow), span(5, 505));
  EXPECT_EQ(timeline_.copy(one_, kToDevice, 500, kNow), span(10, 510));
  EXPECT_EQ(timeline_.copy(two_, kToHost, 500, kNow), span(10, 260));
}

TEST_F(TimelineTest, kernels_of_different_streams_take_turns) {
  timeline_.burn(one_, Nanos(100), kNow);
  EXPECT_EQ(timeline_.burn(two_, Nanos(100), kNow), span(105, 205));
}

TEST_F(TimelineTest, an_engine_serves_a_ready_stream_while_another_one_waits) {
  timeline_.burn(one_, Nanos(1000), kNow);
  EXPECT_EQ(timeline_.copy(one_, kToDevice, 500, kNow), span(1005, 1505));
  EXPECT_EQ(timeline_.copy(two_, kToDevice, 500, kNow), span(10, 510));
}

TEST_F(TimelineTest, an_event_happens_when_its_stream_reaches_it) {
  EXPECT_EQ(timeline_.record(one_, Nanos(7)), Nanos(7));
  timeline_.burn(one_, Nanos(100), Nanos(10));
  EXPECT_EQ(timeline_.record(one_, Nanos(20)), Nanos(115));
}

TEST_F(TimelineTest, a_stream_continues_when_the_awaited_event_happens) {
  timeline_.burn(one_, Nanos(1000), kNow);
  timeline_.wait(two_, timeline_.record(one_, kNow), kNow);
  EXPECT_EQ(timeline_.copy(two_, kToDevice, 100, kNow), span(1005, 1105));
}

TEST_F(TimelineTest, waiting_for_a_past_event_delays_nothing) {
  timeline_.wait(two_, Nanos(-1), kNow);
  EXPECT_EQ(timeline_.ready(two_), kNow);
}

TEST_F(TimelineTest, the_default_stream_waits_for_blocking_streams_and_they_for_it) {
  timeline_.burn(blocking_, Nanos(100), kNow);
  EXPECT_EQ(timeline_.copy(kDefaultStream, kToDevice, 100, kNow), span(105, 205));
  EXPECT_EQ(timeline_.copy(blocking_, kToHost, 100, kNow), span(205, 255));
}

TEST_F(TimelineTest, a_non_blocking_stream_and_the_default_stream_do_not_wait_for_each_other) {
  timeline_.burn(kDefaultStream, Nanos(100), kNow);
  EXPECT_EQ(timeline_.ready(one_), kNow);
  timeline_.copy(two_, kToDevice, 500, kNow);
  EXPECT_EQ(timeline_.ready(kDefaultStream), Nanos(105));
}

TEST_F(TimelineTest, a_blocking_stream_is_drained_without_the_default_stream) {
  timeline_.burn(kDefaultStream, Nanos(100), kNow);
  EXPECT_EQ(timeline_.drained(blocking_), kNow);
  EXPECT_EQ(timeline_.drained(), Nanos(105));
}

TEST_F(TimelineTest, a_removed_stream_still_finishes_its_work) {
  timeline_.burn(blocking_, Nanos(100), kNow);
  timeline_.remove_stream(blocking_);
  EXPECT_EQ(timeline_.drained(), Nanos(105));
  EXPECT_EQ(timeline_.ready(kDefaultStream), Nanos(105));
}

TEST_F(TimelineTest, a_removed_streams_id_is_reused) {
  timeline_.burn(one_, Nanos(100), kNow);
  timeline_.remove_stream(one_);
  const StreamId again = timeline_.add_stream(StreamKind::kBlocking);
  EXPECT_EQ(again, one_);
  EXPECT_EQ(timeline_.ready(again), kNow);
}

// 250 bytes in pieces of 100, 100, 50: staged at 2 ns a byte, copied at 1 ns a byte.
TEST_F(TimelineTest, staging_to_the_device_returns_before_the_last_piece_is_copied) {
  const StagedCopy copy = timeline_.staged_copy(one_, kToDevice, 250, kNow);
  EXPECT_EQ(copy.host_done, Nanos(10 + 500));
  EXPECT_EQ(copy.device_done, Nanos(10 + 500 + 50));
  EXPECT_EQ(timeline_.ready(one_), copy.device_done);
}

// The device copies at 0.5 ns a byte; the host empties at 2 ns a byte during the next piece.
TEST_F(TimelineTest, staging_to_the_host_ends_with_the_last_byte_on_the_host) {
  const StagedCopy copy = timeline_.staged_copy(one_, kToHost, 250, kNow);
  EXPECT_EQ(copy.host_done, Nanos(10 + 50 + 500));
  EXPECT_EQ(copy.device_done, copy.host_done);
}

TEST_F(TimelineTest, staging_waits_for_its_stream) {
  timeline_.burn(one_, Nanos(1000), kNow);
  EXPECT_EQ(timeline_.staged_copy(one_, kToDevice, 100, kNow).host_done, Nanos(1005 + 200));
}

TEST_F(TimelineTest, other_copies_run_between_the_pieces_of_a_staged_copy) {
  timeline_.staged_copy(one_, kToDevice, 250, kNow);  // copies at 210-310, 410-510, 510-560
  EXPECT_EQ(timeline_.copy(two_, kToDevice, 100, kNow), span(10, 110));
  EXPECT_EQ(timeline_.copy(two_, kToDevice, 100, kNow), span(110, 210));
  EXPECT_EQ(timeline_.copy(two_, kToDevice, 100, kNow), span(310, 410));
}

// If the link is slower than staging, the two staging buffers limit the host.
TEST(Timeline, staging_goes_no_faster_than_the_link) {
  SimulatedDeviceSpec spec = round_spec();
  spec.pageable_rate = 10e9;
  SimulatedTimeline timeline(spec);
  const StagedCopy copy = timeline.staged_copy(kDefaultStream, kToDevice, 400, kNow);
  // Pieces are staged at 10, 20, 120 and 220 ns, and copied from 20 ns on, without a pause.
  EXPECT_EQ(copy.host_done, Nanos(230));
  EXPECT_EQ(copy.device_done, Nanos(420));
}

TEST(Timeline, a_full_queue_is_free_when_its_oldest_operation_ends) {
  SimulatedDeviceSpec spec = round_spec();
  spec.queue_depth = 2;
  SimulatedTimeline timeline(spec);
  timeline.burn(kDefaultStream, Nanos(100), kNow);
  EXPECT_EQ(timeline.queue_free_at(kDefaultStream, kNow), kNow);
  timeline.burn(kDefaultStream, Nanos(100), kNow);
  EXPECT_EQ(timeline.queue_free_at(kDefaultStream, kNow), Nanos(105));
  EXPECT_EQ(timeline.queue_free_at(kDefaultStream, Nanos(105)), Nanos(105));
}

}  // namespace
}  // namespace feedrate
