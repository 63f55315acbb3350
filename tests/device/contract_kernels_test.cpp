// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/device/contract.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr std::array<Gemm, 2> kProducts{{{256, 128, 64, 2}, {100, 33, 7, 1}}};

PixelValues numbered_values() {
  PixelValues values;
  for (std::size_t c = 0; c < values.size(); ++c) {
    for (std::size_t byte = 0; byte < values[c].size(); ++byte) {
      values[c][byte] = static_cast<float>(1000 * c + byte) * 0.25F;
    }
  }
  return values;
}

TEST_P(DeviceContract, normalizes_images_channel_by_channel) {
  const ImageBatch batch{3, 35};
  const PixelValues values = numbered_values();
  const HostBuffer images = host(batch.values(), HostMemory::kPinned, 0);
  for (std::size_t i = 0; i < batch.values(); ++i) {
    images.bytes()[i] = static_cast<std::byte>((i * 37 + 11) % 256);
  }
  const DeviceBuffer pixels = device_->allocate(batch.values());
  const DeviceBuffer numbers = device_->allocate(batch.values() * sizeof(float));
  const HostBuffer back = host(batch.values() * sizeof(float), HostMemory::kPinned, 0);
  DeviceStream& stream = device_->default_stream();
  stream.copy_to_device(pixels, images.bytes());
  stream.normalize(numbers, pixels, batch, values);
  stream.copy_to_host(back.bytes(), numbers);
  stream.synchronize();

  for (std::size_t i = 0; i < batch.values(); ++i) {
    const std::size_t image = i / (3 * batch.pixels);
    const std::size_t pixel = i / 3 % batch.pixels;
    const std::size_t channel = i % 3;
    float got = -1;
    std::memcpy(
        &got, back.bytes().data() + ((image * 3 + channel) * batch.pixels + pixel) * sizeof(float),
        sizeof(float));
    ASSERT_EQ(got, values[channel][std::to_integer<std::size_t>(images.bytes()[i])]) << i;
  }
}

TEST_P(DeviceContract, normalizes_an_empty_batch) {
  const DeviceBuffer pixels = device_->allocate(16);
  DeviceStream& stream = device_->default_stream();
  stream.normalize(pixels, pixels, {0, 35}, numbered_values());
  stream.synchronize();
}

TEST_P(DeviceContract, refuses_to_normalize_images_outside_the_source_or_larger_than_the_target) {
  const DeviceBuffer small = device_->allocate(299);
  const DeviceBuffer large = device_->allocate(1200);
  DeviceStream& stream = device_->default_stream();
  const PixelValues values = numbered_values();
  EXPECT_THROW(stream.normalize(large, small, {1, 100}, values), DeviceError);
  EXPECT_THROW(stream.normalize(small, large, {1, 100}, values), DeviceError);
}

// A GPU may lack a precision, and a machine the library.
class PreparedGemms : public DeviceContract {
 protected:
  std::unique_ptr<DeviceWork> prepare(Precision precision) {
    try {
      return device_->prepare_gemms(kProducts, precision);
    } catch (const DeviceError& error) {
      why_not_ = error.what();
      return nullptr;
    }
  }
  std::string why_not_;
};

TEST_P(PreparedGemms, run_as_often_as_asked) {
  for (const Precision precision : precisions()) {
    const auto work = prepare(precision);
    if (!work && precision == Precision::kFp32)
      GTEST_SKIP() << why_not_;  // The library is missing.
    if (!work) {
      EXPECT_THAT(why_not_, HasSubstr("precision " + std::string(to_string(precision))));
      continue;
    }
    DeviceStream& stream = device_->default_stream();
    const auto start = recorded(stream);
    stream.run(*work);
    const auto once = recorded(stream);
    stream.run(*work);
    const auto twice = recorded(stream);
    twice->synchronize();
    EXPECT_GT(device_->elapsed(*start, *once), Nanos::zero()) << to_string(precision);
    EXPECT_GT(device_->elapsed(*once, *twice), Nanos::zero()) << to_string(precision);
  }
}

TEST_P(PreparedGemms, can_be_captured) {
  const auto work = prepare(Precision::kFp32);
  if (!work) GTEST_SKIP() << why_not_;
  device_->default_stream().run(*work);
  device_->synchronize();
  const auto graph = device_->capture([&](DeviceStream& stream) { stream.run(*work); });
  DeviceStream& stream = device_->default_stream();
  const auto start = recorded(stream);
  stream.run(*graph);
  const auto end = recorded(stream);
  end->synchronize();
  EXPECT_GT(device_->elapsed(*start, *end), Nanos::zero());
}

TEST_P(DeviceContract, a_graph_runs_all_that_was_captured_each_time) {
  const auto graph = device_->capture([](DeviceStream& stream) {
    for (int i = 0; i < 3; ++i) stream.burn(2ms);
  });
  const auto side = device_->create_stream(StreamKind::kNonBlocking);
  for (DeviceStream* stream : {&device_->default_stream(), side.get()}) {
    const auto start = recorded(*stream);
    stream->run(*graph);
    const auto end = recorded(*stream);
    end->synchronize();
    EXPECT_GE(device_->elapsed(*start, *end), 6ms);
  }
}

TEST_P(DeviceContract, only_kernels_can_be_captured_and_a_failed_capture_harms_nothing) {
  EXPECT_THROW(static_cast<void>(device_->capture([](DeviceStream& stream) {
                 stream.burn(1ms);
                 stream.synchronize();
               })),
               DeviceError);
  DeviceStream& stream = device_->default_stream();
  const auto start = recorded(stream);
  stream.burn(1ms);
  const auto end = recorded(stream);
  end->synchronize();
  EXPECT_GE(device_->elapsed(*start, *end), 1ms);
}

INSTANTIATE_TEST_SUITE_P(all, PreparedGemms, ::testing::ValuesIn(backends()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace feedrate
