// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/instruments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scoped_variable.h"
#include "tests/support/scripted_instruments.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::InstrumentLog;
using ::testing::IsEmpty;
using testing::ScopedVariable;
using testing::ScriptedMonitor;
using ::testing::StartsWith;

DeviceInfo a_gpu() {
  DeviceInfo info;
  info.backend = "cuda";
  info.pci_bus_id = "0000:17:00.0";
  return info;
}

DeviceInfo a_model() {
  DeviceInfo info;
  info.backend = "simulated";
  info.simulated = true;
  return info;
}

std::string fact(const InstrumentsChosen& chosen, const std::string& name) {
  for (const Fact& each : chosen.facts) {
    if (each.name == name) return each.value;
  }
  return "";
}

class ChoosingInstruments : public ::testing::Test {
 protected:
  ScopedVariable cupti_{"FEEDRATE_CUPTI_PATH", FAKE_CUPTI};
  ScopedVariable nvml_{"FEEDRATE_NVML_PATH", FAKE_NVML};
};

TEST_F(ChoosingInstruments, a_simulated_device_has_none) {
  const InstrumentsChosen chosen = choose_instruments({{"sim:h200", a_model()}}, true);
  EXPECT_FALSE(chosen.instruments.start_tracing);
  EXPECT_FALSE(chosen.instruments.open_monitor);
  EXPECT_THAT(chosen.facts, IsEmpty());
  EXPECT_THAT(chosen.warnings, IsEmpty());
  EXPECT_EQ(chosen.note, "");
}

TEST_F(ChoosingInstruments, a_trace_of_a_gpu_has_a_tracer_and_says_that_it_costs) {
  const InstrumentsChosen chosen = choose_instruments({{"cuda:0", a_gpu()}}, true);
  EXPECT_EQ(fact(chosen, "cupti"), FAKE_CUPTI);
  EXPECT_THAT(chosen.warnings, ElementsAre(HasSubstr("adds overhead")));
  EXPECT_EQ(chosen.note, "");
  EXPECT_TRUE(chosen.instruments.start_tracing(a_gpu()).tracer);
  EXPECT_FALSE(chosen.instruments.start_tracing(a_model()).tracer);
}

TEST_F(ChoosingInstruments, without_trace_nothing_that_costs_is_started) {
  const InstrumentsChosen chosen = choose_instruments({{"cuda:0", a_gpu()}}, false);
  EXPECT_FALSE(chosen.instruments.start_tracing);
  EXPECT_EQ(fact(chosen, "cupti"), "");
  EXPECT_THAT(chosen.warnings, IsEmpty());
}

TEST_F(ChoosingInstruments, a_cupti_that_does_not_work_is_noted) {
  const ScopedVariable broken("FEEDRATE_CUPTI_PATH", FAKE_CUPTI_BROKEN);
  const InstrumentsChosen chosen = choose_instruments({{"cuda:0", a_gpu()}}, true);
  EXPECT_THAT(chosen.note, HasSubstr(FAKE_CUPTI_BROKEN));
  EXPECT_THAT(fact(chosen, "cupti"), StartsWith(FAKE_CUPTI_BROKEN));
  EXPECT_FALSE(chosen.instruments.start_tracing);
  EXPECT_THAT(chosen.warnings, IsEmpty());
}

TEST_F(ChoosingInstruments, a_gpu_is_watched_by_its_bus_id) {
  DeviceInfo other = a_gpu();
  other.pci_bus_id = "0000:18:00.0";
  const Instruments chosen =
      choose_instruments({{"cuda:0", a_gpu()}, {"cuda:1", other}, {"sim:h200", a_model()}}, false)
          .instruments;
  EXPECT_TRUE(chosen.open_monitor("cuda:0"));
  EXPECT_FALSE(chosen.open_monitor("cuda:1"));
  EXPECT_FALSE(chosen.open_monitor("sim:h200"));
  EXPECT_FALSE(chosen.open_monitor("cuda:2"));
}

TEST_F(ChoosingInstruments, without_nvml_nothing_is_noted) {
  const ScopedVariable none("FEEDRATE_NVML_PATH", "/nonexistent/libnvidia-ml.so.1");
  const InstrumentsChosen chosen = choose_instruments({{"cuda:0", a_gpu()}}, false);
  EXPECT_FALSE(chosen.instruments.open_monitor("cuda:0"));
  EXPECT_EQ(chosen.note, "");
  EXPECT_THAT(chosen.warnings, IsEmpty());
}

TEST(GpuMonitors, are_opened_once_and_again_when_forgotten) {
  InstrumentLog log;
  GpuMonitors monitors(
      {.open_monitor = [&](const std::string& name) -> std::unique_ptr<GpuMonitor> {
        log.push_back(name);
        return name == "none" ? nullptr : std::make_unique<ScriptedMonitor>(log, GpuTelemetry());
      }});
  GpuMonitor* const first = monitors.find("cuda:0");
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(monitors.find("cuda:0"), first);
  EXPECT_EQ(monitors.find("none"), nullptr);
  EXPECT_EQ(monitors.find("none"), nullptr);
  EXPECT_THAT(log, ElementsAre("cuda:0", "none"));
  monitors.forget("cuda:0");
  EXPECT_NE(monitors.find("cuda:0"), nullptr);
  EXPECT_THAT(log, ElementsAre("cuda:0", "none", "cuda:0"));
  EXPECT_EQ(GpuMonitors({}).find("cuda:0"), nullptr);
}

}  // namespace
}  // namespace feedrate
