// SPDX-License-Identifier: Apache-2.0
#include "analysis/resource_advice.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "analysis/best.h"
#include "analysis/foreign_load.h"
#include "analysis/limits.h"
#include "core/format.h"
#include "core/metric.h"

namespace feedrate {
namespace {

// Rounds down: 99.9 % is not "100 %".
std::string rounded_percent(double share) {
  return fmt::format("{:.0f} %", std::floor(100.0 * share + 1e-9));
}

class Advice {
 public:
  explicit Advice(const CellResult& cell) : cell_(cell) {}

  std::vector<std::string> give() {
    advise_gpu();
    advise_cpu();
    advise_where_full("memory_used", kMemoryFull,
                      "Memory: {0} in use (full at {1}): use fewer workers, or a smaller "
                      "prefetch_factor or batch_size, to avoid swapping and out-of-memory kills.");
    advise_where_full("gpu_memory_used", kGpuMemoryFull,
                      "GPU memory: {0} in use (full at {1}): nothing larger fits; mixed "
                      "precision or gradient checkpointing save memory.");
    advise_where_full("network_busy", kNetworkFull,
                      "Network: {0} of the link in use (full at {1}): copy the dataset to local "
                      "storage of the node first, or pack it in a smaller format.");
    advise_disk();
    return std::move(lines_);
  }

 private:
  template <typename... Values>
  void line(fmt::format_string<Values...> text, Values&&... values) {
    lines_.push_back(fmt::format(text, std::forward<Values>(values)...));
  }

  // Prefers the driver's figure, which users see in other tools; a simulated device has none.
  void advise_gpu() {
    const double* busy = find_metric(cell_.metrics, "nvml_utilisation");
    if (!busy) busy = find_metric(cell_.metrics, "gpu_busy");
    if (!busy) return;
    if (*busy >= kGpuTarget) {
      line("GPU: busy {} of the time; the target is {} or more.", rounded_percent(*busy),
           rounded_percent(kGpuTarget));
      return;
    }
    line("GPU: busy {} of the time, below the target of {}{}.", rounded_percent(*busy),
         rounded_percent(kGpuTarget),
         cell_.bottleneck.empty() ? std::string()
                                  : fmt::format("; bottleneck: {}", cell_.bottleneck));
  }

  void advise_cpu() {
    if (const std::string load = foreign_load_text(cell_); !load.empty()) {
      line("Disturbed: {}: measure again when the machine is idle.", load);
      return;
    }
    advise_where_full("cpu_busy", kCpuFull,
                      "CPU: {0} of the CPUs busy (full at {1}): more workers gain nothing; use "
                      "more CPUs per GPU, a cheaper format or decoder, or normalize on the GPU.");
  }

  void advise_where_full(const char* tag, double full,
                         fmt::format_string<std::string, std::string> text) {
    const double* const used = find_metric(cell_.metrics, tag);
    if (used && *used >= full) line(text, rounded_percent(*used), rounded_percent(full));
  }

  void advise_disk() {
    const std::optional<double> rate = disk_rate();
    if (cell_.bottleneck != to_string(Bottleneck::kStorage) || !rate || *rate >= kDiskRate) return;
    line(
        "Disk: read at {}/s, and storage is the bottleneck. With large reads a hard disk reaches "
        "{}/s, an NVMe drive {}/s: pack small files into one (feedrate data convert), or use more "
        "workers.",
        format_value(*rate, Unit::kBytes), format_value(kDiskRate, Unit::kBytes),
        format_value(kNvmeRate, Unit::kBytes));
  }

  std::optional<double> disk_rate() const {
    if (cell_.repeats.empty()) return std::nullopt;
    const auto& series = cell_.repeats.back().series;
    const auto rates = series.find("monitor_disk_read");
    const auto times = series.find("monitor_time");
    const auto window = series.find("monitor_window");
    if (rates == series.end() || times == series.end() || window == series.end())
      return std::nullopt;
    if (window->second.size() != 2) return std::nullopt;
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < std::min(rates->second.size(), times->second.size()); ++i) {
      const double at = times->second[i];
      if (at < window->second[0] || at > window->second[1]) continue;
      sum += rates->second[i];
      ++count;
    }
    if (count == 0) return std::nullopt;
    return sum / static_cast<double>(count);
  }

  const CellResult& cell_;
  std::vector<std::string> lines_;
};

}  // namespace

bool has_full_cpus(const CellResult& cell) {
  const double* const busy = find_metric(cell.metrics, "cpu_busy");
  return busy && *busy >= kCpuFull && foreign_load_text(cell).empty();
}

std::vector<std::string> resource_advice(const CellResult& cell) {
  const bool was_monitored = find_metric(cell.metrics, "monitor_cpu") != nullptr;
  if (!was_monitored || is_limit(cell)) return {};
  return Advice(cell).give();
}

}  // namespace feedrate
