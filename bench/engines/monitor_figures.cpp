// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/monitor_figures.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "analysis/foreign_load.h"

namespace feedrate {
namespace {

using Series = std::vector<double>;

// Rounds to four significant digits: monitors are no more exact, and run.json stays small.
double rounded(double value) {
  if (value == 0.0 || !std::isfinite(value)) return 0.0;
  const double scale = std::pow(10.0, 3.0 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

double growth(double before, double after) { return std::max(0.0, after - before); }
double growth(std::uint64_t before, std::uint64_t after) {
  return after > before ? static_cast<double>(after - before) : 0.0;
}

// Returns 0 for a process that did not exist yet: all of its CPU time is later.
double seconds_of(const HostSnapshot& snapshot, pid_t process) {
  for (const ProcessTime& one : snapshot.processes) {
    if (one.process == process) return one.seconds;
  }
  return 0.0;
}

const CpuTime* find_cpu(const HostSnapshot& snapshot, int number) {
  const auto found = std::find_if(snapshot.cpus.begin(), snapshot.cpus.end(),
                                  [&](const CpuTime& time) { return time.cpu == number; });
  return found == snapshot.cpus.end() ? nullptr : &*found;
}

const NetworkInterface* find_interface(const HostSnapshot& snapshot, const std::string& name) {
  const auto found = std::find_if(snapshot.network.begin(), snapshot.network.end(),
                                  [&](const auto& one) { return one.name == name; });
  return found == snapshot.network.end() ? nullptr : &*found;
}

/// Rates between two snapshots of the machine.
class Between {
 public:
  Between(const HostSnapshot& from, const HostSnapshot& to) : from_(from), to_(to) {}

  [[nodiscard]] double seconds() const { return to_.at - from_.at; }

  /// The busy share of one CPU, 0 to 1.
  [[nodiscard]] double cpu(const CpuTime& after) const {
    const CpuTime* const before = find_cpu(from_, after.cpu);
    if (before == nullptr) return 0.0;
    return std::min(1.0, growth(before->busy, after.busy) / seconds());
  }
  [[nodiscard]] double all_cpus() const {
    double sum = 0.0;
    for (const CpuTime& one : to_.cpus) sum += cpu(one);
    return sum;
  }
  /// In CPUs, 0 if the process has ended.
  [[nodiscard]] double process(pid_t id) const {
    const bool is_there = std::any_of(to_.processes.begin(), to_.processes.end(),
                                      [&](const ProcessTime& one) { return one.process == id; });
    return is_there ? growth(seconds_of(from_, id), seconds_of(to_, id)) / seconds() : 0.0;
  }
  [[nodiscard]] double main() const {
    return to_.processes.empty() ? 0.0 : process(to_.processes.front().process);
  }
  [[nodiscard]] double tree() const {
    double sum = 0.0;
    for (const ProcessTime& one : to_.processes) sum += process(one.process);
    return sum;
  }
  /// Bytes a second.
  [[nodiscard]] double disk(std::uint64_t DiskBytes::*way) const {
    if (!from_.disk || !to_.disk) return 0.0;
    return growth((*from_.disk).*way, (*to_.disk).*way) / seconds();
  }
  [[nodiscard]] double network(std::uint64_t NetworkInterface::*way) const {
    double sum = 0.0;
    for (const NetworkInterface& one : to_.network) sum += network(one, way);
    return sum;
  }
  [[nodiscard]] double network(const NetworkInterface& after,
                               std::uint64_t NetworkInterface::*way) const {
    const NetworkInterface* const before = find_interface(from_, after.name);
    return before == nullptr ? 0.0 : growth(before->*way, after.*way) / seconds();
  }

 private:
  const HostSnapshot& from_;
  const HostSnapshot& to_;
};

std::vector<pid_t> descendants(const std::vector<HostSnapshot>& snapshots) {
  std::vector<pid_t> found;
  for (const HostSnapshot& snapshot : snapshots) {
    for (std::size_t i = 1; i < snapshot.processes.size(); ++i) {
      const pid_t process = snapshot.processes[i].process;
      if (std::find(found.begin(), found.end(), process) == found.end()) found.push_back(process);
    }
  }
  return found;
}

class SeriesWriter {
 public:
  SeriesWriter(Repeat& repeat, const MonitorRecord& record) : repeat_(repeat), record_(record) {
    for (std::size_t i = 1; i < record.host.size(); ++i) {
      spans_.emplace_back(record.host[i - 1], record.host[i]);
    }
  }

  void write() {
    if (spans_.empty()) return;
    const HostSnapshot& last = record_.host.back();
    each_snapshot("monitor_time", [](const HostSnapshot& snapshot) { return snapshot.at; });
    each_span("monitor_cpu_total", [](const Between& span) { return span.all_cpus(); });
    each_span("monitor_cpu_main", [](const Between& span) { return span.main(); });
    each_span("monitor_cpu_workers", [](const Between& span) { return span.tree() - span.main(); });
    write_processes();
    write_cpus(last);
    each_snapshot("monitor_page_cache", [](const HostSnapshot& snapshot) {
      return static_cast<double>(snapshot.memory.page_cache);
    });
    each_snapshot("monitor_memory_available", [](const HostSnapshot& snapshot) {
      return static_cast<double>(snapshot.memory.available);
    });
    if (last.disk) {
      each_span("monitor_disk_read", [](const Between& s) { return s.disk(&DiskBytes::read); });
      each_span("monitor_disk_written",
                [](const Between& s) { return s.disk(&DiskBytes::written); });
    }
    if (last.network.empty()) return;
    each_span("monitor_network_received",
              [](const Between& s) { return s.network(&NetworkInterface::received); });
    each_span("monitor_network_sent",
              [](const Between& s) { return s.network(&NetworkInterface::sent); });
  }

  void write_memory() {
    for (const MemorySnapshot& snapshot : record_.memory) {
      add("monitor_memory_time", snapshot.at);
      add("monitor_memory", static_cast<double>(snapshot.tree_pss));
    }
  }

  void write_gpu(const GpuTelemetry& gpu) {
    if (!record_.window_begin) return;
    const std::size_t stride = gpu.all.size() / kMostSnapshots + 1;
    for (std::size_t i = 0; i < gpu.all.size(); i += stride) write_gpu(gpu.all[i]);
  }

  void write_window() {
    if (!record_.window_begin || !record_.window_end) return;
    add("monitor_window", record_.window_begin->at);
    add("monitor_window", record_.window_end->at);
  }

 private:
  void add(const std::string& name, double value) {
    repeat_.series[name].push_back(rounded(value));
  }
  template <typename Value>
  void each_span(const std::string& name, Value value) {
    for (const Between& span : spans_) add(name, value(span));
  }
  // Skips the first snapshot, which ends no span.
  template <typename Value>
  void each_snapshot(const std::string& name, Value value) {
    for (std::size_t i = 1; i < record_.host.size(); ++i) add(name, value(record_.host[i]));
  }

  void write_processes() {
    const std::vector<pid_t> processes = descendants(record_.host);
    for (std::size_t i = 0; i < std::min(processes.size(), kMostProcessSeries); ++i) {
      each_span(fmt::format("monitor_cpu_process_{}", i + 1),
                [&](const Between& span) { return span.process(processes[i]); });
    }
  }

  void write_cpus(const HostSnapshot& last) {
    if (last.cpus.size() > kMostCpuSeries) return;
    for (const CpuTime& cpu : last.cpus) {
      const std::string name = fmt::format("monitor_cpu_core_{}", cpu.cpu);
      for (std::size_t i = 1; i < record_.host.size(); ++i) {
        const CpuTime* const after = find_cpu(record_.host[i], cpu.cpu);
        add(name, after == nullptr ? 0.0 : spans_[i - 1].cpu(*after));
      }
    }
  }

  // A value that could not be read repeats the one before.
  void write_gpu(const GpuReading& reading) {
    const auto values = [&](const char* name) -> Series& { return repeat_.series[name]; };
    const auto keep = [&](const char* name, bool is_known, double value) {
      Series& series = values(name);
      series.push_back(is_known ? rounded(value) : series.empty() ? 0.0 : series.back());
    };
    double busy = 0.0;
    for (const double one : reading.utilisation) {
      busy += one / static_cast<double>(reading.utilisation.size());
    }
    add("monitor_gpu_time", record_.window_begin->at + to_seconds(reading.at));
    keep("monitor_gpu_utilisation", !reading.utilisation.empty(), busy);
    keep("monitor_gpu_memory", reading.memory_used.has_value(),
         static_cast<double>(reading.memory_used.value_or(0)));
    keep("monitor_gpu_power", reading.power.has_value(), reading.power.value_or(0.0));
  }

  Repeat& repeat_;
  const MonitorRecord& record_;
  std::vector<Between> spans_;
};

void add_window(Repeat& repeat, const MonitorRecord& record) {
  if (!record.window_begin || !record.window_end) return;
  const Between window(*record.window_begin, *record.window_end);
  if (window.seconds() < kShortestWindow) return;
  // Only our own processes count against a CPU quota, all processes against the processors.
  const auto cpus = static_cast<double>(record.window_end->cpus.size());
  double busy = record.bounds.cpus > 0.0 ? window.tree() / record.bounds.cpus : 0.0;
  if (cpus > 0.0) busy = std::max(busy, window.all_cpus() / cpus);
  repeat.metrics.push_back({"cpu_busy", std::min(1.0, busy)});
  double network = -1.0;
  for (const NetworkInterface& one : record.window_end->network) {
    const auto speed = record.bounds.link_speeds.find(one.name);
    if (speed == record.bounds.link_speeds.end()) continue;
    const double most = std::max(window.network(one, &NetworkInterface::received),
                                 window.network(one, &NetworkInterface::sent));
    network = std::max(network, most / speed->second);
  }
  if (network >= 0.0) repeat.metrics.push_back({"network_busy", network});
}

void add_foreign_load(Repeat& repeat, const MonitorRecord& record) {
  if (!record.foreign_begin || !record.foreign_end) return;
  const ForeignMark& begin = *record.foreign_begin;
  const ForeignMark& end = *record.foreign_end;
  const std::vector<Metric> load = foreign_load_metrics(begin.cpu, end.cpu);
  if (load.empty()) return;
  repeat.metrics.insert(repeat.metrics.end(), load.begin(), load.end());
  if (!begin.disk_bytes || !end.disk_bytes) return;
  const double bytes = growth(*begin.disk_bytes, *end.disk_bytes);
  repeat.metrics.push_back({"foreign_io", bytes / (end.cpu.at - begin.cpu.at)});
}

void add_memory_used(Repeat& repeat, const MonitorRecord& record) {
  double used = 0.0;
  if (record.bounds.memory > 0 && record.least_available <= record.bounds.memory) {
    used = 1.0 -
           static_cast<double>(record.least_available) / static_cast<double>(record.bounds.memory);
  }
  if (record.bounds.memory_limit) {
    used = std::max(used, static_cast<double>(record.peak_pss) /
                              static_cast<double>(*record.bounds.memory_limit));
  }
  if (used > 0.0) repeat.metrics.push_back({"memory_used", used});
}

void add_gpu(Repeat& repeat, const GpuTelemetry& gpu) {
  if (!gpu.memory_used_max || !gpu.memory_bytes || *gpu.memory_bytes == 0) return;
  repeat.metrics.push_back({"gpu_memory_used", static_cast<double>(*gpu.memory_used_max) /
                                                   static_cast<double>(*gpu.memory_bytes)});
}

}  // namespace

std::vector<Metric> foreign_load_metrics(const CpuLoadMark& begin, const CpuLoadMark& end) {
  const auto load = cpu_load_between(begin, end);
  if (!load || load->seconds < kShortestWindow) return {};
  const bool disturbs = is_disturbing({.seconds = load->seconds,
                                       .cpus = load->cpus,
                                       .busy = load->busy,
                                       .taken = load->foreign + load->stolen,
                                       .stolen = load->stolen});
  return {{"cpus", load->cpus},
          {"foreign_cpu", load->foreign},
          {"steal", load->stolen},
          {"disturbed", disturbs ? 1.0 : 0.0}};
}

void add_monitored(Repeat& repeat, const MonitorRecord& record,
                   const std::optional<GpuTelemetry>& gpu) {
  repeat.metrics.push_back({"memory", static_cast<double>(record.peak_pss)});
  if (record.host.empty()) return;
  const double cost = record.cpu_seconds + (gpu ? gpu->cpu_seconds : 0.0);
  if (record.seconds > 0.0) repeat.metrics.push_back({"monitor_cpu", cost / record.seconds});
  add_window(repeat, record);
  add_foreign_load(repeat, record);
  add_memory_used(repeat, record);
  if (gpu) add_gpu(repeat, *gpu);
  SeriesWriter series(repeat, record);
  series.write();
  series.write_memory();
  if (gpu) series.write_gpu(*gpu);
  series.write_window();
}

}  // namespace feedrate
