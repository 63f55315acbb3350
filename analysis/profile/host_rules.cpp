// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "analysis/profile/device_work.h"
#include "analysis/profile/rules.h"

namespace feedrate {
namespace {

Nanos idle_after_waits(const DeviceTimes& times) { return times.idle_after_waits(); }

Nanos idle_for_host(const DeviceTimes& times) {
  return times.idle_in_launches + times.idle_in_operators;
}

/// "; a kernel takes 3.1 us on average", over the whole recording.
std::string mean_kernel(const Timeline& timeline, std::int32_t device) {
  Nanos sum{};
  std::int64_t count = 0;
  for (const Activity& activity : timeline.activities) {
    if (!is_kernel(activity) || activity.device != device) continue;
    sum += activity.span.length();
    ++count;
  }
  if (count == 0) return "";
  return fmt::format("; a kernel takes {:.1f} us on average",
                     1e6 * to_seconds(sum) / static_cast<double>(count));
}

}  // namespace

double share_of_steps(Nanos part, const DeviceTimes& times) {
  return to_seconds(part) / to_seconds(times.steps);
}

const DeviceTimes* worst_gpu(const std::vector<DeviceTimes>& devices,
                             Nanos (*part)(const DeviceTimes&)) {
  const auto worst =
      std::max_element(devices.begin(), devices.end(), [&](const auto& a, const auto& b) {
        return share_of_steps(part(a), a) < share_of_steps(part(b), b);
      });
  return worst == devices.end() ? nullptr : &*worst;
}

std::optional<Advice> advise_synchronization(const AdviceInput& input) {
  const DeviceTimes* const worst = worst_gpu(input.devices, idle_after_waits);
  if (worst == nullptr || input.execution.steps.empty()) return std::nullopt;
  const double share = share_of_steps(idle_after_waits(*worst), *worst);
  const double waits =
      static_cast<double>(worst->waits) / static_cast<double>(input.execution.steps.size());
  if (!(share > kSynchronizationLimit && waits > kUsualWaitsPerStep)) return std::nullopt;
  return Advice{
      AdviceRule::kSynchronization,
      "The host waits for the GPU within the step (synchronization-bound), and the GPU is idle "
      "until more is launched. Remove .item(), .cpu(), print() of tensors and conditions on their "
      "values from the loop: accumulate losses and metrics on the GPU and read them once per "
      "epoch.",
      fmt::format("the host waited {:.3g} times a step, for copies to the GPU not counted; GPU {} "
                  "was idle after these waits for {:.1f} % of the steps (limit {:g} %)",
                  waits, worst->device, 100 * share, 100 * kSynchronizationLimit)};
}

std::optional<Advice> advise_host_bound(const AdviceInput& input) {
  const DeviceTimes* const worst = worst_gpu(input.devices, idle_for_host);
  if (worst == nullptr) return std::nullopt;
  const double share = share_of_steps(idle_for_host(*worst), *worst);
  if (!(share > kHostBoundLimit)) return std::nullopt;
  const Nanos launches = worst->idle_in_launches, operators = worst->idle_in_operators;
  return Advice{
      AdviceRule::kHostBound,
      fmt::format("The GPU is idle between launches while the host is in {}. Launch less often: "
                  "use {}, and a fused optimizer (fused=True).",
                  launches >= operators ? "CUDA calls (API-bound)" : "operators (host-bound)",
                  input.timeline.accelerator.empty()
                      ? "CUDA graphs or torch.compile(mode=\"reduce-overhead\")"
                      : "torch.compile"),
      fmt::format("GPU {} was idle for {:.1f} % of the steps while the host was in CUDA calls to "
                  "launch, and for {:.1f} % in operators (limit {:g} % together){}",
                  worst->device, 100 * share_of_steps(launches, *worst),
                  100 * share_of_steps(operators, *worst), 100 * kHostBoundLimit,
                  mean_kernel(input.timeline, worst->device))};
}

}  // namespace feedrate
