// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "analysis/profile/device_work.h"
#include "analysis/profile/rules.h"
#include "analysis/profile/tensor_cores.h"

namespace feedrate {
namespace {

constexpr std::pair<int, int> kNcclCapability{3, 5};
constexpr int kTensorCoreMajor = 7;

std::string capability_text(const GpuProperties& gpu) {
  return fmt::format("{} {}", is_amd(gpu) ? "architecture" : "compute capability",
                     capability_number(gpu));
}

template <class Predicate>
bool any_name(const Timeline& timeline, Predicate is_wanted) {
  std::vector<bool> wanted(timeline.names.size());
  for (std::size_t id = 0; id < wanted.size(); ++id) {
    wanted[id] = is_wanted(std::string_view(timeline.names.text(static_cast<NameId>(id))));
  }
  return std::any_of(timeline.activities.begin(), timeline.activities.end(),
                     [&](const Activity& activity) { return wanted[activity.name]; });
}

bool has_activity(const Timeline& timeline, std::string_view name) {
  return any_name(timeline, [&](std::string_view other) { return other == name; });
}

std::string share_of_step(std::string_view what, double share, double limit) {
  return fmt::format("{} {:.1f} % of the step (limit {:g} %)", what, 100 * share, 100 * limit);
}

std::string loading_text(const std::optional<std::size_t>& workers) {
  const std::string cost = "The step spends much of its time on loading data. ";
  if (!workers) {
    return cost + "Load in worker processes: set num_workers, or raise it step by step.";
  }
  if (*workers == 0) return cost + "Load in worker processes: set num_workers.";
  return cost +
         fmt::format("Raise num_workers from {} step by step while steps get shorter.", *workers);
}

}  // namespace

std::optional<Advice> advise_data_loading(const AdviceInput& input) {
  const double share = input.execution.share(Role::kDataLoader);
  if (!(share > kDataLoadingLimit)) return std::nullopt;
  return Advice{AdviceRule::kDataLoading, loading_text(input.facts.num_workers),
                share_of_step("DataLoader", share, kDataLoadingLimit)};
}

std::optional<Advice> advise_data_parallel(const AdviceInput& input) {
  std::set<std::int32_t> used;
  for (const Activity& activity : input.timeline.activities) {
    if (is_device_work(activity)) used.insert(activity.device);
  }
  if (used.size() < 2 || !has_activity(input.timeline, "DataParallel.forward")) return std::nullopt;
  return Advice{AdviceRule::kDataParallel,
                "Train on several GPUs with DistributedDataParallel instead of DataParallel.",
                fmt::format("DataParallel.forward ran, and {} GPUs worked", used.size())};
}

std::optional<Advice> advise_nccl(const AdviceInput& input) {
  const std::vector<GpuProperties>& gpus = input.timeline.gpus;
  const auto able = std::find_if(gpus.begin(), gpus.end(), [](const GpuProperties& gpu) {
    return std::pair(gpu.compute_major, gpu.compute_minor) >= kNcclCapability;
  });
  if (able == gpus.end() || !has_activity(input.timeline, "DistributedDataParallel.forward") ||
      any_name(input.timeline, [](std::string_view name) { return name.starts_with("nccl:"); })) {
    return std::nullopt;
  }
  return Advice{
      AdviceRule::kNccl,
      "Use NCCL with DistributedDataParallel: it is the fastest backend on these GPUs.",
      fmt::format("DistributedDataParallel.forward ran, and no NCCL operation; GPU {} has {}",
                  able->device, capability_text(*able))};
}

std::optional<Advice> advise_communication(const AdviceInput& input) {
  const double share = input.execution.share(Role::kCommunication);
  if (!(share > kCommunicationLimit)) return std::nullopt;
  return Advice{AdviceRule::kCommunication,
                "The step spends much of its time on communication. Compress gradients, accumulate "
                "them over several batches, or use larger batches; the last two change how the "
                "model converges.",
                share_of_step("Communication", share, kCommunicationLimit)};
}

std::optional<Advice> advise_utilization(const AdviceInput& input) {
  std::string low;
  for (const GpuSummary& gpu : input.gpus) {
    if (!(gpu.utilization < kUtilizationLimit)) continue;
    low += fmt::format("{}GPU {} {:.1f} %", low.empty() ? "" : ", ", gpu.properties.device,
                       100 * gpu.utilization);
  }
  if (low.empty() || advise_synchronization(input) || advise_host_bound(input)) {
    return std::nullopt;
  }
  return Advice{
      AdviceRule::kLowUtilization,
      "GPU utilization is low. If loading keeps up, use larger batches; they may change the "
      "convergence of the model.",
      fmt::format("a kernel runs: {} of the time (limit {:g} %)", low, 100 * kUtilizationLimit)};
}

std::optional<Advice> advise_mixed_precision(const AdviceInput& input) {
  const std::vector<GpuProperties>& gpus = input.timeline.gpus;
  if (gpus.empty() || is_amd(gpus.front()) || gpus.front().compute_major < kTensorCoreMajor) {
    return std::nullopt;
  }
  const TensorCoreTimes times = tensor_core_times(input.timeline);
  if (times.on_tensor_cores > Nanos(0) || times.of_eligible_operators == Nanos(0)) {
    return std::nullopt;
  }
  const double share = to_seconds(times.of_eligible_operators) / to_seconds(times.of_operators);
  return Advice{AdviceRule::kMixedPrecision,
                "No kernel uses the tensor cores. Train with automatic mixed precision.",
                fmt::format("operators that could use them take {:.0f} % of the kernel time; GPU "
                            "{} has {}",
                            100 * share, gpus.front().device, capability_text(gpus.front()))};
}

std::optional<Advice> advise_device_memory(const AdviceInput& input) {
  for (const GpuProperties& gpu : input.timeline.gpus) {
    const auto peak = static_cast<double>(gpu.peak.allocated_bytes);
    const auto total = static_cast<double>(gpu.memory_bytes);
    if (gpu.memory_bytes == 0 || !(peak > kDeviceMemoryLimit * total)) continue;
    return Advice{AdviceRule::kDeviceMemory,
                  "The GPU's memory is almost full. Use gradient checkpointing or automatic mixed "
                  "precision to save memory.",
                  fmt::format("GPU {}: {:.2f} of {:.2f} GiB allocated at the peak, {:.1f} % (limit "
                              "{:g} %)",
                              gpu.device, peak / kBytesPerGiB, total / kBytesPerGiB,
                              100 * peak / total, 100 * kDeviceMemoryLimit)};
  }
  return std::nullopt;
}

}  // namespace feedrate
