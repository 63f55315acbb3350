// SPDX-License-Identifier: Apache-2.0
#include "device/open.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/clock.h"
#include "core/error.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Open, auto_is_the_first_gpu_or_the_simulated_a100) {
  EXPECT_EQ(resolve_device_name("auto"), why_no_cuda().empty() ? "cuda:0" : "sim:a100-pcie4");
}

TEST(Open, valid_names_resolve_to_themselves_whatever_the_machine_has) {
  EXPECT_EQ(resolve_device_name("cuda"), "cuda:0");
  EXPECT_EQ(resolve_device_name("cuda:63"), "cuda:63");
  EXPECT_EQ(resolve_device_name("sim:h200"), "sim:h200");
}

TEST(Open, an_unknown_name_lists_the_known_ones) {
  for (const char* name : {"", "gpu", "cpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda0",
                           "cuda:99999999999999999999", "Auto"}) {
    EXPECT_THAT([&] { static_cast<void>(resolve_device_name(name)); },
                ThrowsMessage<ConfigError>(
                    AllOf(HasSubstr(std::string("'") + name + "'"),
                          HasSubstr("auto, cuda, cuda:N, sim:v100-pcie3, sim:a100-pcie4"))));
  }
}

TEST(Open, an_unknown_preset_lists_the_presets) {
  EXPECT_THAT([] { static_cast<void>(resolve_device_name("sim:b200")); },
              ThrowsMessage<ConfigError>(
                  AllOf(HasSubstr("sim:b200"),
                        HasSubstr("sim:v100-pcie3, sim:a100-pcie4, sim:h100-pcie5, sim:h200"))));
}

TEST(Open, every_simulated_name_opens) {
  ManualClock clock;
  for (const std::string& name : known_devices()) {
    if (name.starts_with("sim:")) {
      EXPECT_TRUE(open_device(name, clock)->info().simulated) << name;
    }
  }
}

TEST(Open, the_known_names_have_auto_and_every_preset) {
  EXPECT_THAT(known_devices(), Contains("auto"));
  EXPECT_THAT(known_devices(), Contains("sim:h200"));
}

TEST(Open, missing_precisions_are_known_before_a_device_is_opened) {
  EXPECT_THAT(why_no_precision("sim:v100-pcie3", Precision::kBf16), HasSubstr("bf16"));
  EXPECT_EQ(why_no_precision("sim:a100-pcie4", Precision::kBf16), "");
  EXPECT_EQ(why_no_precision("cuda:99", Precision::kBf16), "");  // no such device
}

TEST(Open, simulated_devices_decode_jpeg_if_their_preset_has_a_rate) {
  EXPECT_EQ(why_no_jpeg_decoder("sim:a100-pcie4"), "");
  EXPECT_THAT(why_no_jpeg_decoder("sim:v100-pcie3"), HasSubstr("sim:v100-pcie3: decoder nvjpeg"));
}

TEST(Open, a_missing_gpu_is_refused_by_name) {
  SteadyClock clock;
  EXPECT_THAT([&] { static_cast<void>(open_device("cuda:99", clock)); },
              ThrowsMessage<DeviceError>(HasSubstr("cuda:99: ")));
}

TEST(Open, a_missing_gpu_has_no_info) {
  EXPECT_THAT([] { static_cast<void>(device_info("cuda:99")); },
              ThrowsMessage<DeviceError>(HasSubstr("cuda:99: ")));
}

TEST(Open, a_device_has_the_same_info_before_it_is_opened) {
  SteadyClock clock;
  const DeviceInfo opened = open_device("auto", clock)->info();
  const DeviceInfo info = device_info("auto");
  EXPECT_EQ(info.name, opened.name);
  EXPECT_EQ(info.details, opened.details);
  EXPECT_EQ(info.memory_bytes, opened.memory_bytes);
  EXPECT_EQ(info.pci_bus_id, opened.pci_bus_id);
}

TEST(Open, auto_opens_a_device_on_every_machine) {
  SteadyClock clock;
  EXPECT_EQ(open_device("auto", clock)->info().simulated, !why_no_cuda().empty());
}

}  // namespace
}  // namespace feedrate
