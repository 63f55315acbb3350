// SPDX-License-Identifier: Apache-2.0
// Costs of a graph, computed by hand from round_spec(): 50 ns per launch, 5 ns until it begins.
#include "device/simulated/capture.h"

#include <gtest/gtest.h>

#include "core/clock.h"
#include "core/error.h"
#include "tests/device/simulated/round_spec.h"

namespace feedrate {
namespace {

class Capture : public ::testing::Test {
 protected:
  ManualClock clock_;
  std::unique_ptr<Device> device_ = make_simulated_device(round_spec(), clock_);
};

TEST_F(Capture, many_kernels_are_one_launch_of_their_total_time) {
  const auto graph = device_->capture([](DeviceStream& stream) {
    for (int i = 0; i < 4; ++i) stream.burn(Nanos(10));
  });
  EXPECT_EQ(clock_.now(), Nanos(0));
  device_->default_stream().run(*graph);
  EXPECT_EQ(clock_.now(), Nanos(50));
  device_->synchronize();
  EXPECT_EQ(clock_.now(), Nanos(50 + 5 + 40));
}

TEST_F(Capture, the_same_kernels_launched_one_by_one_wait_for_their_launches) {
  for (int i = 0; i < 4; ++i) device_->default_stream().burn(Nanos(10));
  EXPECT_EQ(clock_.now(), Nanos(200));
  device_->synchronize();
  EXPECT_EQ(clock_.now(), Nanos(200 + 5 + 10));
}

TEST_F(Capture, may_contain_graphs) {
  const auto inner = device_->capture([](DeviceStream& stream) { stream.burn(Nanos(10)); });
  const auto graph = device_->capture([&](DeviceStream& stream) {
    stream.run(*inner);
    stream.run(*inner);
  });
  device_->default_stream().run(*graph);
  device_->synchronize();
  EXPECT_EQ(clock_.now(), Nanos(50 + 5 + 20));
}

TEST_F(Capture, may_contain_copies_within_device_memory) {
  const DeviceBuffer source = device_->allocate(1 << 10), target = device_->allocate(1 << 10);
  const auto time_of = [&](const std::function<void(DeviceStream&)>& issue) {
    device_->synchronize();
    const Nanos begin = clock_.now();
    issue(device_->default_stream());
    device_->synchronize();
    return clock_.now() - begin;
  };
  const auto copy = [&](DeviceStream& stream) { stream.copy_on_device(target, source); };
  const auto graph = device_->capture(copy);
  EXPECT_EQ(time_of([&](DeviceStream& stream) { stream.run(*graph); }), time_of(copy));
}

TEST_F(Capture, refuses_copies_from_and_to_the_host_and_events) {
  const DeviceBuffer source = device_->allocate(10);
  const HostBuffer pageable = device_->allocate_host(10, HostMemory::kPageable);
  const auto event = device_->create_event();
  const auto refused = [&](const std::function<void(DeviceStream&)>& issue) {
    EXPECT_THROW(static_cast<void>(device_->capture(issue)), DeviceError);
  };
  refused([&](DeviceStream& stream) { stream.copy_to_device(source, pageable.bytes()); });
  refused([&](DeviceStream& stream) { stream.copy_to_host(pageable.bytes(), source); });
  refused([&](DeviceStream& stream) { stream.record(*event); });
  refused([&](DeviceStream& stream) { stream.wait(*event); });
}

}  // namespace
}  // namespace feedrate
