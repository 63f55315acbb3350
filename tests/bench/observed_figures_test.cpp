#include "bench/engines/observed_figures.h"

#include <gmock/gmock.h>

#include "report/columns.h"
#include "report/result.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

GpuTelemetry telemetry_of(double utilisation) {
  GpuTelemetry telemetry;
  telemetry.readings = 30;
  telemetry.utilisation_mean = utilisation;
  telemetry.utilisation_max = 1.0;
  telemetry.sm_clock_mean = 1.9e9;
  telemetry.sm_clock_min = 1.8e9;
  telemetry.memory_clock_mean = 3.2e9;
  telemetry.power_mean = 500;
  telemetry.power_max = 700;
  telemetry.memory_used_max = 1U << 20U;
  telemetry.link_generation_max = 5;
  telemetry.link_width_max = 16;
  telemetry.throttled_share = 0.0;
  return telemetry;
}

Observations seen_by_nvml(double utilisation) { return {telemetry_of(utilisation), {}, {}}; }

Observations seen_by_cupti(const std::vector<ActivityMemory>& sources) {
  RecordedTrace recorded;
  for (const ActivityMemory source : sources) {
    DeviceActivity copy;
    copy.kind = ActivityKind::kMemcpy;
    copy.direction = ActivityDirection::kHostToDevice;
    copy.source = source;
    recorded.trace.activities.push_back(copy);
  }
  return {{}, recorded, {}};
}

double figure(const Observations& seen, const char* tag) {
  const std::vector<Metric> metrics = observed_metrics(seen);
  const double* value = find_metric(metrics, tag);
  return value ? *value : -1.0;
}

std::vector<std::string> doubts_with(const Observations& seen, double gpu_busy,
                                     HostMemory memory = HostMemory::kPinned) {
  return observed_doubts(seen, {{"gpu_busy", gpu_busy}}, memory);
}

TEST(ObservedFigures, each_has_a_column) {
  Observations seen = seen_by_cupti({ActivityMemory::kPinned});
  seen.telemetry = telemetry_of(0.5);
  const std::vector<Metric> metrics = observed_metrics(seen);
  EXPECT_EQ(metrics.size(), 12U);
  for (const Metric& metric : metrics) EXPECT_NE(find_column(metric.tag), nullptr) << metric.tag;
}

TEST(ObservedFigures, are_what_was_seen) {
  EXPECT_EQ(figure(seen_by_nvml(0.5), "nvml_utilisation"), 0.5);
  EXPECT_EQ(figure(seen_by_nvml(0.5), "sm_clock_min"), 1.8e9);
  EXPECT_EQ(figure(seen_by_nvml(0.5), "gpu_power"), 500);
  EXPECT_EQ(figure(seen_by_nvml(0.5), "pcie_generation_max"), 5);
  EXPECT_EQ(
      figure(seen_by_cupti({ActivityMemory::kPinned, ActivityMemory::kPageable}), "pinned_copies"),
      0.5);
}

TEST(ObservedFigures, what_was_not_seen_is_not_there) {
  EXPECT_THAT(observed_metrics({}), IsEmpty());
  EXPECT_THAT(observed_metrics({GpuTelemetry(), {}, {}}), IsEmpty());
  EXPECT_THAT(observed_metrics(seen_by_cupti({})), IsEmpty());
}

TEST(ObservedDoubts, none_where_all_agree) {
  EXPECT_THAT(doubts_with(seen_by_nvml(0.6), 0.5), IsEmpty());
  EXPECT_THAT(doubts_with(seen_by_cupti({ActivityMemory::kPinned}), 0.5), IsEmpty());
  EXPECT_THAT(doubts_with(seen_by_cupti({ActivityMemory::kPageable}), 0.5, HostMemory::kPageable),
              IsEmpty());
  EXPECT_THAT(doubts_with({}, 0.5), IsEmpty());
}

TEST(ObservedDoubts, pinned_copies_that_were_not) {
  const Observations mixed = seen_by_cupti({ActivityMemory::kPinned, ActivityMemory::kPageable});
  EXPECT_THAT(doubts_with(mixed, 0.5), ElementsAre(HasSubstr("pin_memory: true")));
  EXPECT_THAT(doubts_with(mixed, 0.5, HostMemory::kPageable),
              ElementsAre(HasSubstr("pin_memory: false")));
}

TEST(ObservedDoubts, a_gpu_that_another_program_uses) {
  EXPECT_THAT(doubts_with(seen_by_nvml(0.95), 0.5), ElementsAre(HasSubstr("another program")));
}

TEST(ObservedDoubts, a_gpu_less_busy_than_the_events_say) {
  EXPECT_THAT(doubts_with(seen_by_nvml(0.1), 0.5), ElementsAre(HasSubstr("far less busy")));
}

TEST(ObservedDoubts, a_short_window_contradicts_nothing) {
  Observations seen = seen_by_nvml(0.1);
  seen.telemetry->readings = 19;
  EXPECT_THAT(doubts_with(seen, 0.9), IsEmpty());
}

TEST(ObservedDoubts, a_throttled_gpu_says_why) {
  Observations seen = seen_by_nvml(0.5);
  seen.telemetry->throttle_reasons = {"power limit", "temperature (software)"};
  EXPECT_THAT(doubts_with(seen, 0.5),
              ElementsAre(HasSubstr("(power limit, temperature (software))")));
}

TEST(ObservedDoubts, a_trace_that_is_incomplete_or_never_began) {
  Observations seen = seen_by_cupti({ActivityMemory::kPinned});
  seen.recorded->trace.dropped = 3;
  EXPECT_THAT(doubts_with(seen, 0.5), ElementsAre(HasSubstr("lacks 3 records")));
  EXPECT_THAT(doubts_with({{}, {}, "another profiler"}, 0.5),
              ElementsAre("Cells were not traced by CUPTI: another profiler"));
}

}  // namespace
}  // namespace feedrate
