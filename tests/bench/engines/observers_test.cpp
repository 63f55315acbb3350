// SPDX-License-Identifier: Apache-2.0
// The observers of a start, one by one and all together. No loader runs: the test sets what it read
// and what the engine measured.
#include "bench/engines/observers/observers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/columns.h"
#include "bench/engines/observers/each.h"
#include "core/fork_mutex.h"
#include "core/host/open_count.h"
#include "core/host/page_cache.h"
#include "core/host/storage.h"
#include "tests/support/scripted_instruments.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_device.h"

namespace feedrate {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::InstrumentLog;
using ::testing::IsEmpty;
using ::testing::IsNull;
using ::testing::NotNull;
using ::testing::Pointee;
using testing::ScriptedMonitor;

constexpr std::size_t kFileBytes = 1'000'000;

class Observed : public ::testing::Test {
 protected:
  // Makes the calls of an engine, around a loader that does nothing.
  static void watch(StartObserver& observer, StartReport& report) {
    observer.before_loader();
    observer.begin_window();
    observer.end_window();
    observer.device_idle();
    observer.after_loader(report);
  }

  const double* figure(const char* tag) const { return find_metric(report_.repeat.metrics, tag); }

  CellSpec cell_;
  StartReport report_;
};

TEST_F(Observed, a_loader_reports_pinned_memory_and_the_length_of_an_epoch) {
  report_.pinned_bytes = 4096;
  report_.batches_per_epoch = 7;
  report_.samples_dropped = 3;
  report_.repeat.metrics = {
      {"first_batch_time_cold", 1.0}, {"step_time", 0.5}, {"epoch_end_time", 0.25}};
  watch(*make_loader_figures_observer(), report_);
  EXPECT_THAT(figure("pinned_memory"), Pointee(4096.0));
  EXPECT_THAT(figure("batches_per_epoch"), Pointee(7.0));
  EXPECT_THAT(figure("samples_dropped"), Pointee(3.0));
  EXPECT_THAT(figure("job_time"), Pointee(DoubleEq(4.75)));
}

TEST_F(Observed, an_iterable_dataset_has_no_batches_per_epoch) {
  report_.pinned_bytes = 4096;
  watch(*make_loader_figures_observer(), report_);
  EXPECT_THAT(figure("pinned_memory"), Pointee(4096.0));
  EXPECT_THAT(figure("batches_per_epoch"), IsNull());
  EXPECT_THAT(figure("samples_dropped"), IsNull());
}

TEST_F(Observed, only_a_loader_that_reads_the_copy_has_a_staging_time) {
  watch(*make_staging_observer({.cell = cell_, .staging_time = 2.5}), report_);
  EXPECT_THAT(figure("staging_time"), Pointee(2.5));
  report_ = {};
  watch(*make_staging_observer({.cell = cell_}), report_);
  EXPECT_THAT(figure("staging_time"), IsNull());
  cell_.cached_loader = true;
  watch(*make_staging_observer({.cell = cell_, .staging_time = 2.5}), report_);
  EXPECT_THAT(figure("staging_time"), IsNull());
}

TEST_F(Observed, flops_are_a_share_of_the_peak) {
  const auto observer = [this] {
    return make_gemm_peak_observer({.cell = cell_, .gemm_peak = [] { return 4e12; }});
  };
  watch(*observer(), report_);
  EXPECT_THAT(figure("flops_of_peak"), IsNull()) << "without products there is no share";
  report_.add("flops_per_second", 3e12);
  watch(*make_gemm_peak_observer({.cell = cell_}), report_);
  EXPECT_THAT(figure("flops_of_peak"), IsNull()) << "without a peak there is no share";
  watch(*observer(), report_);
  EXPECT_THAT(figure("flops_of_peak"), Pointee(0.75));
}

class ObservedFiles : public Observed {
 protected:
  void SetUp() override { testing::write_file(path_, std::string(kFileBytes, 'x')); }

  void read() const { static_cast<void>(testing::read_file(path_)); }

  // The parent waits for the child, as for a worker.
  void read_in_a_child() const {
    const pid_t child = [this] {
      const std::lock_guard lock(fork_mutex());
      const pid_t forked = ::fork();
      if (forked == 0) {
        read();
        ::_exit(0);
      }
      return forked;
    }();
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  }

  testing::TempFolder folder_;
  const std::filesystem::path path_ = folder_ / "a";
};

TEST_F(ObservedFiles, reads_count_from_the_loaders_start_to_the_end_of_its_workers) {
  const auto observer = make_io_counters_observer({.cell = cell_, .process = ::getpid()});
  for (int i = 0; i < 5; ++i) read();
  observer->before_loader();
  read();
  count_opened_file();
  observer->device_idle();
  read_in_a_child();
  observer->after_loader(report_);
  ASSERT_THAT(figure("called_read_bytes"), NotNull());
  EXPECT_GE(*figure("called_read_bytes"), 2.0 * kFileBytes);
  EXPECT_LT(*figure("called_read_bytes"), 3.0 * kFileBytes);
  EXPECT_THAT(figure("storage_read_bytes"), NotNull());
  EXPECT_THAT(figure("files_opened"), Pointee(1.0));
}

TEST_F(ObservedFiles, files_of_another_process_are_not_counted_and_it_may_have_ended) {
  const pid_t other = [] {
    const std::lock_guard lock(fork_mutex());
    const pid_t forked = ::fork();
    if (forked == 0) ::pause();
    return forked;
  }();
  watch(*make_io_counters_observer({.cell = cell_, .process = other}), report_);
  EXPECT_THAT(figure("called_read_bytes"), Pointee(0.0));
  EXPECT_THAT(figure("files_opened"), IsNull());
  report_ = {};
  const auto observer = make_io_counters_observer({.cell = cell_, .process = other});
  observer->before_loader();
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  observer->after_loader(report_);
  EXPECT_THAT(report_.repeat.metrics, IsEmpty());
}

TEST_F(ObservedFiles, shares_in_the_page_cache_are_those_before_the_loader_and_of_the_idle_device) {
  if (read_storage_info(folder_.path()).file_system == "tmpfs") {
    GTEST_SKIP() << "tmpfs keeps its files in memory: " << folder_.path();
  }
  cell_.cache = CacheState::kWarm;
  const std::vector<std::filesystem::path> files{path_};
  const auto observer = make_page_cache_observer({.cell = cell_, .files = files});
  drop_page_cache(files);
  observer->before_loader();
  read();
  observer->device_idle();
  drop_page_cache(files);
  observer->after_loader(report_);
  EXPECT_THAT(figure("cached_before"), Pointee(0.0));
  EXPECT_THAT(figure("cached_after"), Pointee(1.0));
  EXPECT_THAT(report_.warnings, ElementsAre(HasSubstr("cache warm: only 0 %")));
}

TEST_F(Observed, a_dataset_without_files_has_no_share_in_the_page_cache) {
  cell_.cache = CacheState::kWarm;
  watch(*make_page_cache_observer({.cell = cell_}), report_);
  EXPECT_THAT(report_.repeat.metrics, IsEmpty());
  EXPECT_THAT(report_.warnings, IsEmpty());
}

TEST_F(Observed, only_memory_is_measured_without_whole_machine) {
  watch(*make_machine_monitor_observer({.cell = cell_}, false), report_);
  ASSERT_THAT(report_.repeat.metrics, ::testing::SizeIs(1));
  ASSERT_THAT(figure("memory"), NotNull());
  EXPECT_GT(*figure("memory"), 0.0);
}

TEST_F(Observed, a_start_that_fails_at_any_step_ends_the_observation) {
  for (int calls = 0; calls < 4; ++calls) {
    const auto observer = make_machine_monitor_observer({.cell = cell_}, true);
    if (calls > 0) observer->before_loader();
    if (calls > 1) observer->begin_window();
    if (calls > 2) observer->end_window();
  }
}

class ObservedTogether : public ObservedFiles {
 protected:
  ObservedTogether() {
    cell_.device = "cuda:0";
    cell_.burn = BurnSpec{.step = Nanos(1), .reference_batch = 1};
    telemetry_.utilisation_mean = 0.5;
    options_.monitor = false;
    options_.instruments.start_tracing = testing::scripted_tracing(log_, copy_from_the_host());
    options_.instruments.open_monitor = [this](const std::string&) {
      return std::make_unique<ScriptedMonitor>(log_, telemetry_);
    };
    report_.batches_per_epoch = 7;
    report_.add("flops_per_second", 3e12);
  }

  static ActivityTrace copy_from_the_host() {
    DeviceActivity copy;
    copy.kind = ActivityKind::kMemcpy;
    copy.direction = ActivityDirection::kHostToDevice;
    copy.source = ActivityMemory::kPinned;
    return {.activities = {copy}};
  }

  void watch_all(Device* device) {
    GpuMonitors monitors(options_.instruments);
    const StartContext start{.cell = cell_,
                             .process = ::getpid(),
                             .device = device,
                             .device_info = [] { return DeviceInfo(); },
                             .dataset = path_,
                             .files = {path_},
                             .staging_time = 2.5,
                             .gemm_peak = [] { return 4e12; }};
    watch(*make_observers(start, options_, monitors), report_);
  }

  ManualClock clock_;
  std::unique_ptr<Device> device_ = testing::make_ideal_device(clock_);
  InstrumentLog log_;
  GpuTelemetry telemetry_;
  ObserverOptions options_;
};

TEST_F(ObservedTogether, add_figures_that_each_have_a_column) {
  watch_all(device_.get());
  for (const char* const tag :
       {"pinned_memory", "batches_per_epoch", "samples_dropped", "staging_time", "cached_before",
        "cached_after", "flops_of_peak", "called_read_bytes", "storage_read_bytes", "files_opened",
        "pinned_copies", "nvml_utilisation", "memory"}) {
    EXPECT_THAT(figure(tag), NotNull()) << tag;
  }
  for (const Metric& metric : report_.repeat.metrics) {
    EXPECT_THAT(find_column(metric.tag), NotNull()) << metric.tag;
  }
}

TEST_F(ObservedTogether, the_tracer_begins_first_and_ends_when_the_device_is_idle) {
  watch_all(device_.get());
  EXPECT_THAT(log_, ElementsAre("record", "watch", "watched", "recorded"));
}

TEST_F(ObservedTogether, a_device_of_another_process_is_not_traced) {
  watch_all(nullptr);
  EXPECT_THAT(log_, ElementsAre("watch", "watched"));
}

TEST_F(ObservedTogether, a_cell_that_discards_its_batches_does_not_watch_the_gpu) {
  cell_.burn.reset();
  watch_all(device_.get());
  EXPECT_THAT(log_, IsEmpty());
}

TEST_F(ObservedTogether, a_profile_has_the_figures_of_all_others) {
  std::optional<RunFacts> facts;
  options_.on_profile = [&](const RunProfile& profile) { facts = profile.facts; };
  report_.measurement.kept.resize(1);
  watch_all(device_.get());
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->batches_per_epoch, 7U);
  EXPECT_GT(facts->host_memory_peak.value_or(0), 0U);
}

}  // namespace
}  // namespace feedrate
