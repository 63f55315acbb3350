// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/monitor_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace feedrate {
namespace {

using ::testing::Contains;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pointee;
using ::testing::SizeIs;

constexpr pid_t kMain = 10;

// Two processors; this process computes all the time, a worker half of it from 0.5 s on.
HostSnapshot inspect(double at) {
  HostSnapshot snapshot;
  snapshot.at = at;
  snapshot.cpus = {{0, 100.0 + at, 200.0 + at}, {1, 50.0 + 0.5 * at, 200.0 + at}};
  snapshot.processes = {{kMain, 7.0 + at}};
  if (at > 0.5) snapshot.processes.push_back({11, 0.5 * (at - 0.5)});
  snapshot.memory = {.available = 800, .page_cache = 300};
  snapshot.disk = DiskBytes{.read = static_cast<std::uint64_t>(1e6 * at), .written = 5};
  snapshot.network = {{"eth0", static_cast<std::uint64_t>(2e6 * at), 100}};
  return snapshot;
}

MonitorRecord record_of(double seconds) {
  MonitorRecord record;
  record.bounds = {.cpus = 2.0, .memory = 1000, .memory_limit = {}, .link_speeds = {}};
  for (double at = 0.0; at <= seconds + 1e-9; at += 0.5) record.host.push_back(inspect(at));
  record.memory = {{0.0, 64}, {seconds, 128}};
  record.peak_pss = 128;
  record.least_available = 800;
  record.window_begin = inspect(0.5);
  record.window_end = inspect(seconds);
  record.seconds = seconds;
  record.cpu_seconds = 0.01 * seconds;
  return record;
}

Repeat monitored(const MonitorRecord& record, const std::optional<GpuTelemetry>& gpu = {}) {
  Repeat repeat;
  add_monitored(repeat, record, gpu);
  return repeat;
}

const double* metric(const Repeat& repeat, const char* tag) {
  return find_metric(repeat.metrics, tag);
}

TEST(Monitored, rates_are_differences_between_two_snapshots) {
  const Repeat repeat = monitored(record_of(1.5));
  EXPECT_THAT(repeat.series.at("monitor_time"), ElementsAre(0.5, 1.0, 1.5));
  EXPECT_THAT(repeat.series.at("monitor_cpu_total"), ElementsAre(1.5, 1.5, 1.5));
  EXPECT_THAT(repeat.series.at("monitor_cpu_main"), ElementsAre(1.0, 1.0, 1.0));
  EXPECT_THAT(repeat.series.at("monitor_cpu_core_0"), ElementsAre(1.0, 1.0, 1.0));
  EXPECT_THAT(repeat.series.at("monitor_cpu_core_1"), ElementsAre(0.5, 0.5, 0.5));
  EXPECT_THAT(repeat.series.at("monitor_disk_read"), ElementsAre(1e6, 1e6, 1e6));
  EXPECT_THAT(repeat.series.at("monitor_disk_written"), ElementsAre(0.0, 0.0, 0.0));
  EXPECT_THAT(repeat.series.at("monitor_network_received"), ElementsAre(2e6, 2e6, 2e6));
}

TEST(Monitored, a_worker_counts_from_its_start_and_is_0_before) {
  const Repeat repeat = monitored(record_of(1.5));
  EXPECT_THAT(repeat.series.at("monitor_cpu_workers"), ElementsAre(0.0, 0.5, 0.5));
  EXPECT_THAT(repeat.series.at("monitor_cpu_process_1"), ElementsAre(0.0, 0.5, 0.5));
}

TEST(Monitored, memory_has_a_time_of_its_own) {
  const Repeat repeat = monitored(record_of(1.5));
  EXPECT_THAT(repeat.series.at("monitor_memory_time"), ElementsAre(0.0, 1.5));
  EXPECT_THAT(repeat.series.at("monitor_memory"), ElementsAre(64.0, 128.0));
  EXPECT_THAT(repeat.series.at("monitor_page_cache"), ElementsAre(300.0, 300.0, 300.0));
  EXPECT_THAT(metric(repeat, "memory"), Pointee(128.0));
}

TEST(Monitored, its_own_cost_is_a_share_of_one_cpu_with_that_of_the_gpus_monitor) {
  EXPECT_THAT(metric(monitored(record_of(2.0)), "monitor_cpu"), Pointee(DoubleEq(0.01)));
  GpuTelemetry gpu;
  gpu.cpu_seconds = 0.02;
  EXPECT_THAT(metric(monitored(record_of(2.0), gpu), "monitor_cpu"), Pointee(DoubleEq(0.02)));
}

TEST(Monitored, the_cpus_busy_are_those_of_the_window) {
  MonitorRecord record = record_of(1.5);
  EXPECT_THAT(metric(monitored(record), "cpu_busy"), Pointee(DoubleEq(0.75)));
  record.bounds.cpus = 1.5;  // A quota, of which we use 1 + 0.5.
  EXPECT_THAT(metric(monitored(record), "cpu_busy"), Pointee(DoubleEq(1.0)));
  record.window_begin = inspect(1.4);
  EXPECT_EQ(metric(monitored(record), "cpu_busy"), nullptr) << "too short for the kernel's ticks";
}

// Two processors for four seconds, 1.2 s of them idle; our processes used 3 s.
ForeignMark foreign_at(double at) {
  const double busy = at == 0.0 ? 0.0 : 3.4;
  return {.cpu = {.at = at,
                  .cpus = {{0, busy, at}, {1, busy, at}},
                  .online = 2,
                  .own = 0.75 * at,
                  .kernel = 0.0},
          .disk_bytes = 1e6 * at};
}

TEST(Monitored, foreign_load_is_busy_time_that_is_not_ours) {
  MonitorRecord record = record_of(1.5);
  EXPECT_EQ(metric(monitored(record), "foreign_cpu"), nullptr);
  record.foreign_begin = foreign_at(0.0);
  record.foreign_end = foreign_at(4.0);
  const Repeat repeat = monitored(record);
  EXPECT_THAT(metric(repeat, "cpus"), Pointee(2.0));
  EXPECT_THAT(metric(repeat, "foreign_cpu"), Pointee(DoubleEq(0.95)));
  EXPECT_THAT(metric(repeat, "steal"), Pointee(0.0));
  EXPECT_THAT(metric(repeat, "disturbed"), Pointee(1.0));
  EXPECT_THAT(metric(repeat, "foreign_io"), Pointee(DoubleEq(1e6)));
  record.foreign_end->cpu.own += 3.6;
  EXPECT_THAT(metric(monitored(record), "disturbed"), Pointee(0.0));
}

TEST(Monitored, a_window_too_short_for_ticks_has_no_foreign_load) {
  MonitorRecord record = record_of(1.5);
  record.foreign_begin = foreign_at(0.0);
  record.foreign_end = foreign_at(0.1);
  EXPECT_EQ(metric(monitored(record), "foreign_cpu"), nullptr);
  EXPECT_EQ(metric(monitored(record), "disturbed"), nullptr);
}

TEST(Monitored, memory_used_is_the_larger_share_of_the_machine_and_of_the_groups_limit) {
  MonitorRecord record = record_of(1.0);
  EXPECT_THAT(metric(monitored(record), "memory_used"), Pointee(DoubleEq(0.2)));
  record.bounds.memory_limit = 160;
  EXPECT_THAT(metric(monitored(record), "memory_used"), Pointee(DoubleEq(0.8)));
}

TEST(Monitored, a_link_with_a_known_speed_has_network_busy) {
  MonitorRecord record = record_of(1.5);
  EXPECT_EQ(metric(monitored(record), "network_busy"), nullptr);
  record.bounds.link_speeds = {{"eth0", 4e6}};
  EXPECT_THAT(metric(monitored(record), "network_busy"), Pointee(DoubleEq(0.5)));
}

TEST(Monitored, a_missing_gpu_value_repeats_the_one_before) {
  GpuTelemetry gpu;
  gpu.all.resize(3);
  gpu.all[0].utilisation = {0.5, 0.7};
  gpu.all[0].memory_used = 1000;
  gpu.all[1].at = std::chrono::milliseconds(100);
  gpu.all[1].power = 250.0;
  gpu.all[2].at = std::chrono::milliseconds(200);
  gpu.all[2].utilisation = {0.9};
  gpu.memory_used_max = 1000;
  gpu.memory_bytes = 4000;
  const Repeat repeat = monitored(record_of(1.5), gpu);
  EXPECT_THAT(repeat.series.at("monitor_gpu_time"), ElementsAre(0.5, 0.6, 0.7));
  EXPECT_THAT(repeat.series.at("monitor_gpu_utilisation"), ElementsAre(0.6, 0.6, 0.9));
  EXPECT_THAT(repeat.series.at("monitor_gpu_memory"), ElementsAre(1000, 1000, 1000));
  EXPECT_THAT(repeat.series.at("monitor_gpu_power"), ElementsAre(0, 250, 250));
  EXPECT_THAT(metric(repeat, "gpu_memory_used"), Pointee(0.25));
}

TEST(Monitored, a_record_of_memory_has_the_peak_and_nothing_else) {
  MonitorRecord record;
  record.peak_pss = 77;
  const Repeat repeat = monitored(record);
  EXPECT_THAT(repeat.metrics, SizeIs(1));
  EXPECT_THAT(metric(repeat, "memory"), Pointee(77.0));
  EXPECT_TRUE(repeat.series.empty());
}

TEST(Monitored, too_many_processors_have_no_series_and_only_the_first_processes_have_one) {
  MonitorRecord record = record_of(1.0);
  for (HostSnapshot& snapshot : record.host) {
    for (int cpu = 2; cpu <= static_cast<int>(kMostCpuSeries); ++cpu)
      snapshot.cpus.push_back({cpu});
    for (pid_t process = 11; process < 60; ++process)
      snapshot.processes.push_back({process, snapshot.at});
  }
  const Repeat repeat = monitored(record);
  EXPECT_THAT(repeat.series, Not(Contains(Key("monitor_cpu_core_0"))));
  EXPECT_THAT(repeat.series, Contains(Key("monitor_cpu_process_16")));
  EXPECT_THAT(repeat.series, Not(Contains(Key("monitor_cpu_process_17"))));
}

TEST(Snapshots, are_thinned_to_a_limit_and_keep_their_rates) {
  MonitorRecord record = record_of(0.0);
  record.host.clear();
  for (int i = 0; i < 5000; ++i) add_snapshot(record.host, inspect(0.5 * i));
  EXPECT_LE(record.host.size(), kMostSnapshots);
  EXPECT_GE(record.host.size(), kMostSnapshots / 2);
  EXPECT_EQ(record.host.front().at, 0.0);
  const Repeat repeat = monitored(record);
  for (const double rate : repeat.series.at("monitor_disk_read")) EXPECT_DOUBLE_EQ(rate, 1e6);
}

}  // namespace
}  // namespace feedrate
