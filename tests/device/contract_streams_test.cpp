// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/device/contract.h"

namespace feedrate {
namespace {

using namespace std::chrono_literals;

TEST_P(DeviceContract, describes_itself) {
  const DeviceInfo& info = device_->info();
  EXPECT_FALSE(info.name.empty());
  EXPECT_EQ(info.simulated, info.backend == "simulated");
  EXPECT_GT(info.memory_bytes, 0U);
  EXPECT_FALSE(info.details.empty());
  EXPECT_EQ(&device_->clock(), clock_.get());
}

TEST_P(DeviceContract, a_burn_lasts_at_least_its_duration) {
  DeviceStream& stream = device_->default_stream();
  for (const Nanos duration : {Nanos(200us), Nanos(5ms)}) {
    const auto start = recorded(stream);
    stream.burn(duration);
    const auto end = recorded(stream);
    end->synchronize();
    EXPECT_GE(device_->elapsed(*start, *end), duration);
  }
}

// Measured by events on the device's clock, because a coarse timer would lengthen short steps.
TEST_P(DeviceContract, a_short_burn_lasts_hardly_longer_than_its_duration) {
  DeviceStream& stream = device_->default_stream();
  std::vector<Nanos> lengths;
  for (int i = 0; i < 9; ++i) {
    stream.burn(5ms);  // The rest is queued while this burn runs.
    const auto start = recorded(stream);
    stream.burn(200us);
    const auto end = recorded(stream);
    end->synchronize();
    lengths.push_back(device_->elapsed(*start, *end));
  }
  std::sort(lengths.begin(), lengths.end());
  EXPECT_GE(lengths[4], 199us);
  if (!device_->info().simulated) {  // The host stamps its events, possibly late.
    EXPECT_LE(lengths[4], 260us);
  }
}

TEST_P(DeviceContract, burns_of_different_streams_take_turns) {
  const auto one = device_->create_stream(StreamKind::kNonBlocking);
  const auto two = device_->create_stream(StreamKind::kNonBlocking);
  const auto start = recorded(*one);
  two->wait(*start);
  one->burn(kBurn);
  two->burn(kBurn);
  const auto end_one = recorded(*one);
  const auto end_two = recorded(*two);
  device_->synchronize();
  const Nanos last =
      std::max(device_->elapsed(*start, *end_one), device_->elapsed(*start, *end_two));
  EXPECT_GE(last, kBurn * 19 / 10);
}

TEST_P(DeviceContract, an_event_that_was_never_recorded_is_done_and_waiting_for_it_does_nothing) {
  const auto event = device_->create_event();
  const auto stream = device_->create_stream(StreamKind::kNonBlocking);
  EXPECT_TRUE(event->query());
  event->synchronize();
  stream->wait(*event);
  stream->synchronize();
  EXPECT_TRUE(event->query());
}

TEST_P(DeviceContract, an_event_is_done_when_all_before_it_is_done) {
  const auto stream = device_->create_stream(StreamKind::kNonBlocking);
  const Nanos issued = clock_->now();
  stream->burn(kBurn);
  const auto event = recorded(*stream);
  expect_pending(*event, issued + kBurn);
  event->synchronize();
  EXPECT_TRUE(event->query());
  EXPECT_GE(clock_->now() - issued, kBurn);
}

TEST_P(DeviceContract, recording_again_replaces_the_record) {
  const auto stream = device_->create_stream(StreamKind::kNonBlocking);
  const auto event = recorded(*stream);
  event->synchronize();
  const Nanos issued = clock_->now();
  stream->burn(kBurn);
  stream->record(*event);
  expect_pending(*event, issued + kBurn);
  event->synchronize();
  EXPECT_GE(clock_->now() - issued, kBurn);
}

TEST_P(DeviceContract, a_stream_waits_for_the_event_of_another) {
  const auto one = device_->create_stream(StreamKind::kNonBlocking);
  const auto two = device_->create_stream(StreamKind::kNonBlocking);
  const auto start = recorded(*one);
  one->burn(kBurn);
  const auto burnt = recorded(*one);
  two->wait(*burnt);
  const auto after = recorded(*two);
  after->synchronize();
  EXPECT_TRUE(burnt->query());
  EXPECT_GE(device_->elapsed(*start, *after), kBurn);
}

TEST_P(DeviceContract, waiting_means_the_latest_record_before_the_call) {
  const auto one = device_->create_stream(StreamKind::kNonBlocking);
  const auto two = device_->create_stream(StreamKind::kNonBlocking);
  const auto event = recorded(*one);
  two->wait(*event);
  const Nanos issued = clock_->now();
  one->burn(kBurn);
  one->record(*event);
  const auto after = recorded(*two);
  const bool issued_in_time = clock_->now() < issued + kBurn / 2;
  device_->synchronize();
  if (issued_in_time) {
    EXPECT_GT(device_->elapsed(*after, *event), Nanos::zero());
  }
}

TEST_P(DeviceContract, elapsed_is_negative_from_the_later_event_to_the_earlier) {
  const auto stream = device_->create_stream(StreamKind::kNonBlocking);
  const auto start = recorded(*stream);
  stream->burn(kBurn);
  const auto end = recorded(*stream);
  stream->synchronize();
  EXPECT_EQ(device_->elapsed(*end, *start), -device_->elapsed(*start, *end));
  EXPECT_EQ(device_->elapsed(*end, *end), Nanos::zero());
}

TEST_P(DeviceContract, each_of_several_burns_lasts_its_duration) {
  const auto stream = device_->create_stream(StreamKind::kNonBlocking);
  auto start = recorded(*stream);
  for (int i = 0; i < 3; ++i) {
    stream->burn(kBurn);
    auto end = recorded(*stream);
    stream->synchronize();
    EXPECT_GE(device_->elapsed(*start, *end), kBurn) << i;
    start = std::move(end);
  }
}

TEST_P(DeviceContract, elapsed_refuses_events_that_are_not_recorded_or_not_done) {
  const auto stream = device_->create_stream(StreamKind::kNonBlocking);
  const auto unrecorded = device_->create_event();
  const auto start = recorded(*stream);
  stream->synchronize();
  EXPECT_THROW(static_cast<void>(device_->elapsed(*start, *unrecorded)), DeviceError);
  const Nanos issued = clock_->now();
  stream->burn(kBurn);
  const auto pending = recorded(*stream);
  bool refused = false;
  try {
    static_cast<void>(device_->elapsed(*start, *pending));
  } catch (const DeviceError&) {
    refused = true;
  }
  if (clock_->now() < issued + kBurn) {
    EXPECT_TRUE(refused);
  }
}

TEST_P(DeviceContract, the_default_stream_and_blocking_streams_wait_for_each_other) {
  const auto blocking = device_->create_stream(StreamKind::kBlocking);
  const auto start = recorded(*blocking);
  blocking->burn(kBurn);
  const auto after_blocking = recorded(device_->default_stream());
  device_->default_stream().burn(kBurn);
  const auto after_default = recorded(*blocking);
  after_default->synchronize();
  EXPECT_GE(device_->elapsed(*start, *after_blocking), kBurn);
  EXPECT_GE(device_->elapsed(*after_blocking, *after_default), kBurn);
}

TEST_P(DeviceContract, a_non_blocking_stream_does_not_wait_for_the_default_stream) {
  const auto side = device_->create_stream(StreamKind::kNonBlocking);
  const Nanos issued = clock_->now();
  device_->default_stream().burn(kBurn);
  const auto burnt = recorded(device_->default_stream());
  const auto free = recorded(*side);
  const bool issued_in_time = clock_->now() < issued + kBurn / 2;
  device_->synchronize();
  if (issued_in_time) {
    EXPECT_GT(device_->elapsed(*free, *burnt), Nanos::zero());
  }
}

TEST_P(DeviceContract, synchronize_waits_for_all_streams_even_destroyed_ones) {
  auto gone = device_->create_stream(StreamKind::kNonBlocking);
  const Nanos issued = clock_->now();
  gone->burn(kBurn);
  const auto burnt = recorded(*gone);
  gone.reset();
  device_->synchronize();
  EXPECT_TRUE(burnt->query());
  EXPECT_GE(clock_->now() - issued, kBurn);
}

TEST_P(DeviceContract, calls_are_safe_from_several_threads) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([this] {
      const auto stream = device_->create_stream(StreamKind::kNonBlocking);
      const HostBuffer source = device_->allocate_host(128 * kKiB, HostMemory::kPinned);
      const DeviceBuffer there = device_->allocate(source.size());
      const auto event = device_->create_event();
      for (int step = 0; step < 20; ++step) {
        stream->copy_to_device(there, source.bytes());
        stream->burn(Nanos(10us));
        stream->record(*event);
        device_->default_stream().wait(*event);
        event->synchronize();
        EXPECT_TRUE(event->query());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  device_->synchronize();
  EXPECT_EQ(device_->pinned_bytes(), 0U);
}

}  // namespace
}  // namespace feedrate
