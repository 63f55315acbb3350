// What every Device must do, run over each of them. On a device that runs in real time a slow
// machine may see work finished that "should" be pending, so "not done yet" is demanded only while
// the clock proves it.
#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/clock.h"
#include "core/error.h"
#include "device/cuda/cuda_device.h"
#include "device/device.h"
#include "device/open.h"
#include "device/simulated/simulated_device.h"

namespace feedrate {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;
constexpr Nanos kBurn = 40ms;

struct Backend {
  std::string name;
  std::function<std::unique_ptr<Clock>()> make_clock;
  std::function<std::unique_ptr<Device>(Clock&)> make_device;
  std::function<std::string()> why_not;  ///< empty if it can run here
};

std::unique_ptr<Device> make_moving_device(Clock& clock) {
  SimulatedDeviceSpec spec = find_simulated_preset("a100-pcie4");
  spec.move_bytes = true;
  return make_simulated_device(spec, clock);
}

std::vector<Backend> backends() {
  const auto always = [] { return std::string(); };
  const auto steady = [] { return std::make_unique<SteadyClock>(); };
  const auto manual = [] { return std::make_unique<ManualClock>(); };
  return {{"simulated_on_a_manual_clock", manual, make_moving_device, always},
          {"simulated_in_real_time", steady, make_moving_device, always},
          {"cuda", steady, [](Clock& clock) { return make_cuda_device(0, clock); }, why_no_cuda}};
}

class DeviceContract : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    const std::string why_not = GetParam().why_not();
    if (!why_not.empty()) GTEST_SKIP() << GetParam().name << ": " << why_not;
    clock_ = GetParam().make_clock();
    device_ = GetParam().make_device(*clock_);
  }

  HostBuffer host(std::size_t size, HostMemory kind, int fill) {
    HostBuffer buffer = device_->allocate_host(size, kind);
    std::memset(buffer.bytes().data(), fill, size);
    return buffer;
  }

  /// Demands that `event` is pending, unless the clock has already passed `earliest`.
  void expect_pending(const DeviceEvent& event, Nanos earliest) {
    const bool done = event.query();
    if (clock_->now() < earliest) {
      EXPECT_FALSE(done);
    }
  }

  std::unique_ptr<DeviceEvent> recorded(DeviceStream& stream) {
    auto event = device_->create_event();
    stream.record(*event);
    return event;
  }

  std::unique_ptr<Clock> clock_;
  std::unique_ptr<Device> device_;
};

void expect_filled(Bytes bytes, int fill) {
  for (const std::byte value : bytes) ASSERT_EQ(std::to_integer<int>(value), fill);
}

TEST_P(DeviceContract, tells_what_it_is) {
  const DeviceInfo& info = device_->info();
  EXPECT_FALSE(info.name.empty());
  EXPECT_EQ(info.simulated, info.backend == "simulated");
  EXPECT_GT(info.memory_bytes, 0U);
  EXPECT_FALSE(info.details.empty());
  EXPECT_EQ(&device_->clock(), clock_.get());
}

TEST_P(DeviceContract, bytes_come_back_as_they_went) {
  for (const HostMemory kind : {HostMemory::kPageable, HostMemory::kPinned}) {
    for (const std::size_t size : {std::size_t{1}, 64 * kKiB, 64 * kKiB + 1, 3 * kMiB}) {
      const HostBuffer source = host(size, kind, 7);
      const HostBuffer target = host(size, kind, 0);
      const DeviceBuffer there = device_->allocate(size);
      DeviceStream& stream = device_->default_stream();
      stream.copy_to_device(there, source.bytes());
      stream.copy_to_host(target.bytes(), there);
      stream.synchronize();
      expect_filled(target.bytes(), 7);
    }
  }
}

TEST_P(DeviceContract, a_part_of_the_device_buffer_can_be_read_back) {
  const HostBuffer source = host(2 * kMiB, HostMemory::kPinned, 5);
  const HostBuffer target = host(2 * kMiB, HostMemory::kPageable, 0);
  const DeviceBuffer there = device_->allocate(2 * kMiB);
  device_->default_stream().copy_to_device(there, source.bytes());
  device_->default_stream().copy_to_host(target.bytes().first(kMiB), there);
  expect_filled(target.bytes().first(kMiB), 5);
  expect_filled(target.bytes().subspan(kMiB), 0);
}

TEST_P(DeviceContract, refuses_a_copy_that_does_not_fit) {
  const HostBuffer here = host(2 * kKiB, HostMemory::kPinned, 1);
  const DeviceBuffer there = device_->allocate(kKiB);
  DeviceStream& stream = device_->default_stream();
  EXPECT_THROW(stream.copy_to_device(there, here.bytes()), DeviceError);
  EXPECT_THROW(stream.copy_to_host(here.bytes(), there), DeviceError);
}

TEST_P(DeviceContract, refuses_more_memory_than_it_has) {
  EXPECT_THROW(static_cast<void>(device_->allocate(device_->info().memory_bytes + kMiB)),
               DeviceError);
}

TEST_P(DeviceContract, a_stream_works_in_order) {
  const auto stream = device_->create_stream(StreamKind::kNonBlocking);
  const HostBuffer first = host(kMiB, HostMemory::kPinned, 1);
  const HostBuffer second = host(kMiB, HostMemory::kPinned, 2);
  const HostBuffer target = host(kMiB, HostMemory::kPinned, 0);
  const DeviceBuffer there = device_->allocate(kMiB);
  const auto start = recorded(*stream);
  stream->burn(kBurn);
  stream->copy_to_device(there, first.bytes());
  stream->copy_to_device(there, second.bytes());
  const auto copied = recorded(*stream);
  stream->copy_to_host(target.bytes(), there);
  stream->synchronize();
  expect_filled(target.bytes(), 2);
  EXPECT_GE(device_->elapsed(*start, *copied), kBurn);
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

TEST_P(DeviceContract, a_pinned_copy_returns_before_it_is_done) {
  const HostBuffer source = host(4 * kMiB, HostMemory::kPinned, 3);
  const DeviceBuffer there = device_->allocate(source.size());
  const auto stream = device_->create_stream(StreamKind::kNonBlocking);
  const Nanos issued = clock_->now();
  stream->burn(kBurn);
  stream->copy_to_device(there, source.bytes());
  const auto copied = recorded(*stream);
  expect_pending(*copied, issued + kBurn);
  copied->synchronize();
}

TEST_P(DeviceContract, the_source_of_a_pageable_copy_may_change_once_the_call_returns) {
  const HostBuffer source = host(4 * kMiB, HostMemory::kPageable, 3);
  const HostBuffer target = host(4 * kMiB, HostMemory::kPinned, 0);
  const DeviceBuffer there = device_->allocate(source.size());
  const auto stream = device_->create_stream(StreamKind::kNonBlocking);
  stream->burn(kBurn);
  stream->copy_to_device(there, source.bytes());
  std::memset(source.bytes().data(), 9, source.size());
  stream->copy_to_host(target.bytes(), there);
  stream->synchronize();
  expect_filled(target.bytes(), 3);
}

TEST_P(DeviceContract, a_copy_into_pageable_memory_is_done_when_it_returns) {
  const HostBuffer source = host(4 * kMiB, HostMemory::kPinned, 6);
  const HostBuffer target = host(4 * kMiB, HostMemory::kPageable, 0);
  const DeviceBuffer there = device_->allocate(source.size());
  const auto stream = device_->create_stream(StreamKind::kNonBlocking);
  stream->copy_to_device(there, source.bytes());
  stream->copy_to_host(target.bytes(), there);
  expect_filled(target.bytes(), 6);
}

TEST_P(DeviceContract, counts_the_pinned_memory_handed_out) {
  EXPECT_EQ(device_->pinned_bytes(), 0U);
  {
    const HostBuffer one = device_->allocate_host(3 * kMiB, HostMemory::kPinned);
    const HostBuffer two = device_->allocate_host(kMiB, HostMemory::kPinned);
    const HostBuffer plain = device_->allocate_host(kMiB, HostMemory::kPageable);
    EXPECT_EQ(one.kind(), HostMemory::kPinned);
    EXPECT_EQ(plain.kind(), HostMemory::kPageable);
    EXPECT_EQ(device_->pinned_bytes(), 4 * kMiB);
  }
  EXPECT_EQ(device_->pinned_bytes(), 0U);
}

TEST_P(DeviceContract, empty_buffers_are_buffers) {
  const HostBuffer pinned = device_->allocate_host(0, HostMemory::kPinned);
  const HostBuffer plain = device_->allocate_host(0, HostMemory::kPageable);
  const DeviceBuffer there = device_->allocate(0);
  EXPECT_EQ(pinned.size() + plain.size() + there.size(), 0U);
  EXPECT_EQ(device_->pinned_bytes(), 0U);
}

TEST_P(DeviceContract, freeing_pinned_memory_waits_for_the_device) {
  const auto stream = device_->create_stream(StreamKind::kNonBlocking);
  HostBuffer pinned = device_->allocate_host(kMiB, HostMemory::kPinned);
  stream->burn(kBurn);
  const auto burnt = recorded(*stream);
  pinned = {};
  EXPECT_TRUE(burnt->query());
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

INSTANTIATE_TEST_SUITE_P(all, DeviceContract, testing::ValuesIn(backends()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace feedrate
