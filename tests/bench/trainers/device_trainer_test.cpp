// SPDX-License-Identifier: Apache-2.0
// The ideal device copies at 1 GB/s pinned and 0.5 GB/s pageable, so 10 MB take 10 or 20 ms.
#include <gtest/gtest.h>

#include "bench/trainers/trainer.h"
#include "tests/support/forwarding_device.h"
#include "tests/support/test_device.h"

namespace feedrate {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kDeviceBatchBytes = 10'000'000;

class DeviceTrainer : public ::testing::Test {
 protected:
  std::unique_ptr<Trainer> make(DeviceTrainerOptions options, Nanos step = milliseconds(30)) {
    options.batch_bytes = kDeviceBatchBytes;
    return make_device_trainer(*device_, options, make_burn_work(step, 8));
  }

  Batch batch(HostMemory kind, std::size_t samples = 8) {
    Batch made;
    made.buffer = std::make_shared<OwnedMemory>(device_->allocate_host(kDeviceBatchBytes, kind));
    kept_.push_back(made.buffer);
    made.bytes_used = kDeviceBatchBytes * samples / 8;
    made.labels.resize(samples);
    return made;
  }

  ManualClock clock_;
  std::unique_ptr<Device> device_ = testing::make_ideal_device(clock_);
  std::vector<std::shared_ptr<BatchMemory>> kept_;  // Freeing pinned memory waits for the device.
};

class CountingDevice final : public testing::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  std::unique_ptr<DeviceEvent> create_event() override {
    ++events_;
    return ForwardingDevice::create_event();
  }
  std::size_t events() const noexcept { return events_; }

 private:
  std::size_t events_ = 0;
};

// elapsed() takes a millisecond.
class SlowElapsedDevice final : public testing::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  Nanos elapsed(const DeviceEvent& from, const DeviceEvent& to) const override {
    clock().sleep_for(milliseconds(1));
    return ForwardingDevice::elapsed(from, to);
  }
};

TEST_F(DeviceTrainer, a_blocking_step_is_the_copy_and_then_the_burn) {
  const auto trainer = make({.non_blocking = false});
  Batch pinned = batch(HostMemory::kPinned);
  const Nanos start = clock_.now();
  const StepTiming timing = trainer->step(std::move(pinned));
  EXPECT_EQ(timing.copied - start, milliseconds(10));
  EXPECT_EQ(timing.trained - start, milliseconds(40));
}

// 8 units of 1.25 MB take 30 ms; the batch holds half of them, in any number of samples.
TEST_F(DeviceTrainer, a_step_may_be_proportional_to_units_instead_of_samples) {
  const auto trainer = make({.non_blocking = false, .unit_bytes = kDeviceBatchBytes / 8});
  Batch pinned = batch(HostMemory::kPinned, 4);
  pinned.labels.resize(1);
  const Nanos start = clock_.now();
  const StepTiming timing = trainer->step(std::move(pinned));
  EXPECT_EQ(timing.trained - start, milliseconds(5 + 15));
}

// A quarter of 5 MB is labels, so 3 of 8 units are left.
TEST_F(DeviceTrainer, labels_do_not_count_as_units) {
  const auto trainer = make({.non_blocking = false,
                             .unit_bytes = kDeviceBatchBytes / 8,
                             .label_bytes = kDeviceBatchBytes / 8});
  Batch pinned = batch(HostMemory::kPinned, 4);
  pinned.labels.resize(1);
  const Nanos start = clock_.now();
  const StepTiming timing = trainer->step(std::move(pinned));
  EXPECT_EQ(timing.trained - start, milliseconds(5) + std::chrono::microseconds(11'250));
}

TEST_F(DeviceTrainer, separates_calls_from_waiting) {
  const auto trainer = make({.non_blocking = false, .host_overhead = milliseconds(3)});
  Batch pinned = batch(HostMemory::kPinned);
  const Nanos start = clock_.now();
  const StepTiming timing = trainer->step(std::move(pinned));
  EXPECT_EQ(timing.queued - start, milliseconds(0));
  EXPECT_EQ(timing.copied - start, milliseconds(10));
  EXPECT_EQ(timing.launching - start, milliseconds(13));
  EXPECT_EQ(timing.launched - start, milliseconds(13));
  EXPECT_EQ(timing.trained - start, milliseconds(43));
}

TEST_F(DeviceTrainer, non_blocking_moves_the_copy_out_of_the_copy_call) {
  const auto trainer = make({.non_blocking = true});
  Batch pinned = batch(HostMemory::kPinned);
  const Nanos start = clock_.now();
  const StepTiming timing = trainer->step(std::move(pinned));
  EXPECT_EQ(timing.copied, start);
  EXPECT_EQ(timing.trained - start, milliseconds(40));
}

TEST_F(DeviceTrainer, returns_the_device_times_of_each_step) {
  const auto trainer = make({.non_blocking = true});
  Batch pinned = batch(HostMemory::kPinned);
  const Nanos start = clock_.now();
  static_cast<void>(trainer->step(std::move(pinned)));
  const std::vector<DeviceSpans> spans = trainer->finish();
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].copy_begin, start);
  EXPECT_EQ(spans[0].copy_end, start + milliseconds(10));
  EXPECT_EQ(spans[0].compute_begin, start + milliseconds(10));
  EXPECT_EQ(spans[0].compute_end, start + milliseconds(40));
  EXPECT_TRUE(trainer->finish().empty());
}

TEST_F(DeviceTrainer, copies_a_resident_batch_once_per_slot) {
  const auto trainer = make({.resident = true});
  for (int i = 0; i < 5; ++i) static_cast<void>(trainer->step(batch(HostMemory::kPinned)));
  std::vector<Nanos> copies;
  for (const DeviceSpans& span : trainer->finish()) {
    copies.push_back(span.copy_end - span.copy_begin);
    EXPECT_EQ(span.compute_end - span.compute_begin, milliseconds(30));
  }
  const Nanos none(0);
  EXPECT_EQ(copies, (std::vector<Nanos>{milliseconds(10), milliseconds(10), none, none, none}));
}

TEST_F(DeviceTrainer, an_incomplete_batch_burns_its_share) {
  const auto trainer = make({});
  static_cast<void>(trainer->step(batch(HostMemory::kPinned, 2)));
  const DeviceSpans span = trainer->finish().front();
  EXPECT_EQ(span.compute_end - span.compute_begin, Nanos(7'500'000));
  EXPECT_EQ(span.copy_end - span.copy_begin, Nanos(2'500'000));
}

TEST_F(DeviceTrainer, waits_for_the_device_every_n_steps) {
  const auto trainer = make({.non_blocking = true, .sync_every = 2});
  Batch first = batch(HostMemory::kPinned), second = batch(HostMemory::kPinned);
  const Nanos start = clock_.now();
  EXPECT_EQ(trainer->step(std::move(first)).trained, start);
  EXPECT_EQ(trainer->step(std::move(second)).trained, start + milliseconds(80));
}

TEST_F(DeviceTrainer, host_overhead_takes_the_hosts_time) {
  const auto trainer =
      make({.non_blocking = true, .sync_every = 0, .host_overhead = milliseconds(3)});
  Batch pinned = batch(HostMemory::kPinned);
  const Nanos start = clock_.now();
  EXPECT_EQ(trainer->step(std::move(pinned)).trained, start + milliseconds(3));
}

TEST_F(DeviceTrainer, the_host_runs_ahead_of_the_copies_by_four_batches_at_most) {
  const auto trainer = make({.non_blocking = true, .sync_every = 0}, milliseconds(0));
  std::vector<Batch> batches;
  for (int i = 0; i < 5; ++i) batches.push_back(batch(HostMemory::kPinned));
  const Nanos start = clock_.now();
  for (std::size_t i = 0; i < 4; ++i) {
    const StepTiming timing = trainer->step(std::move(batches[i]));
    EXPECT_EQ(timing.trained, start);
    EXPECT_FALSE(timing.ran_ahead);
  }
  const StepTiming fifth = trainer->step(std::move(batches[4]));
  EXPECT_EQ(fifth.trained, start + milliseconds(10));
  EXPECT_TRUE(fifth.ran_ahead);
}

class RecordingMemory final : public BatchMemory {
 public:
  RecordingMemory(HostBuffer buffer, std::vector<DeviceStream*>& streams)
      : buffer_(std::move(buffer)), streams_(streams) {}
  MutableBytes bytes() const noexcept override { return buffer_.bytes(); }
  HostMemory kind() const noexcept override { return buffer_.kind(); }
  void record_stream(DeviceStream& stream) override { streams_.push_back(&stream); }

 private:
  HostBuffer buffer_;
  std::vector<DeviceStream*>& streams_;
};

TEST_F(DeviceTrainer, records_on_the_memory_which_stream_may_still_read_it) {
  for (const bool non_blocking : {false, true}) {
    std::vector<DeviceStream*> streams;
    const auto trainer = make({.non_blocking = non_blocking, .sync_every = 0});
    Batch pinned = batch(HostMemory::kPinned);
    pinned.buffer = std::make_shared<RecordingMemory>(
        device_->allocate_host(kDeviceBatchBytes, HostMemory::kPinned), streams);
    static_cast<void>(trainer->step(pinned));
    const std::vector<DeviceStream*> stream{&device_->default_stream()};
    EXPECT_EQ(streams, non_blocking ? stream : std::vector<DeviceStream*>{});
  }
}

TEST_F(DeviceTrainer, holds_a_batch_no_longer_than_the_copy_call) {
  const auto trainer = make({.non_blocking = true, .sync_every = 0});
  Batch pinned = batch(HostMemory::kPinned);
  static_cast<void>(trainer->step(std::move(pinned)));
  EXPECT_EQ(kept_.front().use_count(), 1);
}

TEST_F(DeviceTrainer, returns_any_number_of_steps_in_order) {
  const auto trainer = make({.non_blocking = true, .sync_every = 0});
  const Batch pinned = batch(HostMemory::kPinned);
  constexpr int kSteps = 100;
  for (int i = 0; i < kSteps; ++i) static_cast<void>(trainer->step(pinned));
  const std::vector<DeviceSpans> spans = trainer->finish();
  ASSERT_EQ(spans.size(), static_cast<std::size_t>(kSteps));
  for (std::size_t i = 1; i < spans.size(); ++i) {
    EXPECT_EQ(spans[i].compute_end - spans[i - 1].compute_end, milliseconds(40)) << i;
  }
}

TEST_F(DeviceTrainer, reads_the_times_of_earlier_steps_while_the_device_computes) {
  SlowElapsedDevice device(*device_);
  const auto trainer = make_device_trainer(
      device, {.non_blocking = true, .sync_every = 1, .batch_bytes = kDeviceBatchBytes},
      make_burn_work(milliseconds(30), 8));
  const Batch pinned = batch(HostMemory::kPinned);
  const Nanos start = clock_.now();
  for (int i = 0; i < 3; ++i) static_cast<void>(trainer->step(pinned));
  EXPECT_EQ(clock_.now() - start, 3 * milliseconds(40));
  EXPECT_EQ(trainer->finish().size(), 3U);
}

// Creating an event costs microseconds, and more while other threads create some.
TEST_F(DeviceTrainer, creates_no_events_while_it_trains) {
  CountingDevice device(*device_);
  DeviceTrainerOptions options{.non_blocking = true, .sync_every = 0};
  options.batch_bytes = kDeviceBatchBytes;
  const auto trainer = make_device_trainer(device, options, make_burn_work(milliseconds(30), 8));
  const std::size_t before = device.events();
  const Batch pinned = batch(HostMemory::kPinned);
  for (int i = 0; i < 100; ++i) static_cast<void>(trainer->step(pinned));
  EXPECT_EQ(device.events(), before);
}

// 10 MB are 10⁷ numbers, each read as a byte and written as a float: 50 ms at 1 GB/s.
TEST_F(DeviceTrainer, normalizes_on_the_device_before_the_step) {
  SimulatedDeviceSpec spec = testing::ideal_device_spec();
  spec.memory_rate = 1e9;
  spec.efficiency = 1.0;
  const auto device = make_simulated_device(spec, clock_);
  DeviceTrainerOptions options{.non_blocking = true};
  options.batch_bytes = kDeviceBatchBytes;
  options.normalize = DeviceNormalize{kDeviceBatchBytes / 8 / 3, {}};
  const auto trainer = make_device_trainer(*device, options, make_burn_work(milliseconds(30), 8));
  static_cast<void>(trainer->step(batch(HostMemory::kPageable)));
  const DeviceSpans span = trainer->finish().front();
  EXPECT_LT(std::chrono::abs(span.compute_end - span.compute_begin - milliseconds(80)),
            std::chrono::microseconds(1));
}

}  // namespace
}  // namespace feedrate
