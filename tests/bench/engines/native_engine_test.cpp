// SPDX-License-Identifier: Apache-2.0
// The native engine on a simulated device, with the real code for NVML and CUPTI on fake libraries.
#include "bench/engines/native_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/plan/plan.h"
#include "core/clock.h"
#include "core/host/page_cache.h"
#include "core/host/storage.h"
#include "device/cuda/cupti_tracer.h"
#include "formats/datasets/synthesize.h"
#include "formats/registry.h"
#include "tests/support/cupti_samples.h"
#include "tests/support/fake_cupti.h"
#include "tests/support/fake_nvml.h"
#include "tests/support/fake_of.h"
#include "tests/support/scoped_variable.h"
#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ScopedVariable;

class NativeEngine : public ::testing::Test {
 protected:
  void SetUp() override {
    MakeOptions options;
    options.count = 16;
    options.size = ImageSize{8, 8};
    make_dataset(options, folder_ / "ds", "folder", {});
    nvml_.bus_id = "0000:17:00.0";
    cupti_ = {};
  }

  Repeat run(const Instruments& instruments, const std::string& trainer = "burn") {
    return run_sweep(
        "loader: {batch_size: 4, pin_memory: true}\n"
        "device: {name: 'sim:h200'}\ntrainer: {kind: " +
            trainer + "}\n",
        folder_ / "ds", instruments);
  }

  Repeat run_sweep(const std::string& sections, const std::filesystem::path& dataset,
                   const Instruments& instruments, std::uint64_t records = 16, bool monitor = true,
                   const std::string& reads = "cache: as-is") {
    const SweepConfig config = parse_config(
        "dataset: {path: ds, " + reads + "}\nmeasure: {steps: 3, warmup: 0}\n" + sections,
        "s.yaml");
    NativeEngineOptions options;
    options.datasets[""] = {dataset, "", records, 0};
    options.pipeline = config.pipeline;
    options.measure = config.measure;
    options.measure.monitor = monitor;
    options.instruments = instruments;
    options.on_warning = [this](const std::string& warning) { warnings_.push_back(warning); };
    options.on_profile = [this](const RunProfile& profile) { timeline_ = profile.timeline; };
    const Settings settings = make_plan(config, {}).front().settings;
    return make_native_engine(std::move(options), clock_)->run(make_cell_spec(settings, 0), {});
  }

  // Returns what choose_instruments() returns for a CUDA device.
  static Instruments instruments() {
    return {[](const DeviceInfo&) { return start_activity_tracing(); },
            [](const std::string&) { return open_gpu_monitor("0000:17:00.0").monitor; }};
  }

  std::size_t named(std::string_view name) const {
    std::size_t count = 0;
    for (const Activity& activity : timeline_.activities) {
      count += timeline_.names.text(activity.name) == name ? 1U : 0U;
    }
    return count;
  }

  SteadyClock clock_;
  testing::TempFolder folder_;
  ScopedVariable nvml_path_{"FEEDRATE_NVML_PATH", FAKE_NVML};
  ScopedVariable cupti_path_{"FEEDRATE_CUPTI_PATH", FAKE_CUPTI};
  testing::FakeNvml& nvml_ =
      *testing::function_of_fake<decltype(fake_nvml)>(FAKE_NVML, "fake_nvml")();
  testing::FakeCupti& cupti_ =
      *testing::function_of_fake<decltype(fake_cupti)>(FAKE_CUPTI, "fake_cupti")();
  std::vector<std::string> warnings_;
  Timeline timeline_;
};

TEST_F(NativeEngine, a_cell_has_the_figures_of_nvml) {
  nvml_.reasons = 0x4;
  const Repeat repeat = run({{}, instruments().open_monitor});
  nvml_.reasons = 0;
  const double* power = find_metric(repeat.metrics, "gpu_power");
  ASSERT_NE(power, nullptr);
  EXPECT_EQ(*power, 250.0);
  EXPECT_THAT(warnings_, Contains(HasSubstr("power limit")));
  EXPECT_EQ(find_metric(repeat.metrics, "pinned_copies"), nullptr);
}

TEST_F(NativeEngine, a_traced_cell_shows_what_cupti_recorded_and_whether_copies_were_pinned) {
  const auto now = static_cast<std::uint64_t>(clock_.now().count());
  cupti::MemcpyRecord pageable = testing::sample_copy(now + 2000, now + 3000);
  pageable.source_kind = cupti::kMemoryPageable;
  cupti_.at_flush = {testing::FakeRecords()
                         .add(testing::sample_copy(now, now + 1000))
                         .add(pageable)
                         .add(testing::sample_kernel(now, now + 1000, "a_kernel"))
                         .bytes()};
  const Repeat repeat = run({instruments().start_tracing, {}});
  const double* pinned = find_metric(repeat.metrics, "pinned_copies");
  ASSERT_NE(pinned, nullptr);
  EXPECT_EQ(*pinned, 0.5);
  EXPECT_THAT(warnings_, Contains(HasSubstr("copies from pageable memory")));
  EXPECT_EQ(named("a_kernel"), 1U);
  EXPECT_EQ(named("Memcpy HtoD (Pageable -> Device)"), 1U);
  EXPECT_THAT(cupti_.enabled, IsEmpty());
}

TEST_F(NativeEngine, without_instruments_a_cell_has_no_gpu_figures) {
  const Repeat repeat = run({});
  EXPECT_EQ(find_metric(repeat.metrics, "gpu_power"), nullptr);
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_GT(named("training step"), 0U);
  EXPECT_THAT(cupti_.calls, IsEmpty());
}

TEST_F(NativeEngine, the_lengths_of_sequences_are_read_before_anything_is_measured) {
  if (read_storage_info(folder_.path()).file_system == "tmpfs") {
    GTEST_SKIP() << "tmpfs keeps its files in memory: " << folder_.path();
  }
  MakeOptions options;
  options.preset = "tokens-like";
  options.count = 200;
  const std::filesystem::path path = folder_ / "tokens";
  make_dataset(options, path, "tfrecord", {});
  drop_page_cache(open_dataset(path)->files());
  const Repeat repeat = run_sweep(
      "loader: {batch_size: 4, group_by_length: true}\n"
      "device: {name: 'sim:h200'}\npipeline: {transforms: [tokens: 64]}\n",
      path, {}, 200);
  EXPECT_EQ(*find_metric(repeat.metrics, "cached_before"), 1.0);
}

TEST_F(NativeEngine, refuses_a_dataset_that_has_changed_since_the_sweep_began) {
  EXPECT_THAT(
      [&] { static_cast<void>(run_sweep("loader: {batch_size: 4}\n", folder_ / "ds", {}, 17)); },
      ::testing::ThrowsMessage<FormatError>(HasSubstr("has 16 records and had 17")));
}

TEST_F(NativeEngine, monitors_the_machine_and_counts_the_cost) {
  const Repeat repeat = run(instruments());
  const double* const cost = find_metric(repeat.metrics, "monitor_cpu");
  ASSERT_NE(cost, nullptr);
  EXPECT_GT(*cost, 0.0);
  EXPECT_NE(find_metric(repeat.metrics, "memory"), nullptr);
  EXPECT_EQ(repeat.series.at("monitor_window").size(), 2U);
  EXPECT_THAT(repeat.series.at("monitor_gpu_power"), Contains(250.0));
}

TEST_F(NativeEngine, measures_only_memory_without_the_monitor) {
  const Repeat repeat = run_sweep("loader: {batch_size: 4}\n", folder_ / "ds", {}, 16, false);
  EXPECT_EQ(find_metric(repeat.metrics, "monitor_cpu"), nullptr);
  EXPECT_GT(*find_metric(repeat.metrics, "memory"), 0.0);
  EXPECT_FALSE(repeat.series.contains("monitor_window"));
}

TEST_F(NativeEngine, a_mapped_dataset_is_dropped_from_the_page_cache_before_each_start) {
  if (read_storage_info(folder_.path()).file_system == "tmpfs") {
    GTEST_SKIP() << "tmpfs keeps its files in memory: " << folder_.path();
  }
  MakeOptions options;
  options.count = 200;
  options.size = ImageSize{64, 64};
  const std::filesystem::path path = folder_ / "ds.lmdb";
  make_dataset(options, path, "lmdb", {});
  for (const char* const num_workers : {"0", "2"}) {
    const Repeat repeat = run_sweep(
        std::string("loader: {batch_size: 4, shuffle: true, prefetch_factor: 2, num_workers: ") +
            num_workers + "}\ndevice: {name: 'sim:h200'}\n",
        path, {}, 200, true, "cache: cold");
    EXPECT_LT(*find_metric(repeat.metrics, "cached_before"), 0.05);
  }
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(NativeEngine, a_cell_that_discards_its_batches_has_no_gpu_to_watch) {
  const Repeat repeat = run(instruments(), "discard");
  EXPECT_EQ(find_metric(repeat.metrics, "gpu_power"), nullptr);
  EXPECT_THAT(cupti_.calls, IsEmpty());
}

}  // namespace
}  // namespace feedrate
