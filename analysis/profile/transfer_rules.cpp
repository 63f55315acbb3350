// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "analysis/profile/rules.h"

namespace feedrate {
namespace {

double share_of_all_steps(const AdviceInput& input, Nanos time) {
  const double all =
      input.execution.step_seconds * static_cast<double>(input.execution.steps.size());
  return all > 0.0 ? to_seconds(time) / all : 0.0;
}

std::size_t count_copies(const std::vector<CopyFinding>& findings) {
  std::size_t copies = 0;
  for (const CopyFinding& finding : findings) copies += finding.copies;
  return copies;
}

std::string total_of(const CopyFinding& copies) {
  if (!copies.has_bytes()) return "";
  return fmt::format(", {:.1f} MB in total", static_cast<double>(copies.bytes) / 1e6);
}

Nanos exposed_copy(const DeviceTimes& device) { return device.exposed_copy(); }

}  // namespace

std::optional<Advice> advise_pageable_copies(const AdviceInput& input) {
  const auto pageable = std::find_if(
      input.copies.begin(), input.copies.end(),
      [](const CopyFinding& finding) { return finding.source == MemoryKind::kPageable; });
  if (pageable == input.copies.end()) return std::nullopt;
  const double share = share_of_all_steps(input, pageable->time);
  if (!(share > kPageableLimit)) return std::nullopt;
  const bool is_pinning = input.facts.pin_memory.value_or(false);
  return Advice{
      AdviceRule::kPageableCopies,
      is_pinning ? "Batches are copied from pageable memory although pin_memory is set: it may not "
                   "support their type, or they are copied on the host again."
                 : "Batches are copied from pageable memory, which is slow and blocks the host. "
                   "Set pin_memory.",
      fmt::format("{} of {} copies to the GPU from pageable memory{}; {:.1f} % of the step (limit "
                  "{:g} %)",
                  pageable->copies, count_copies(input.copies), total_of(*pageable), 100 * share,
                  100 * kPageableLimit)};
}

std::optional<Advice> advise_blocking_copies(const AdviceInput& input) {
  std::size_t blocking = 0;
  Nanos waited{};
  for (const CopyFinding& finding : input.copies) {
    blocking += finding.blocking;
    waited += finding.waited;
  }
  const double share = share_of_all_steps(input, waited);
  if (!(share > kBlockingLimit)) return std::nullopt;
  const bool is_asked = input.facts.non_blocking.value_or(false);
  return Advice{
      AdviceRule::kBlockingCopies,
      is_asked ? "The host waits for copies to the GPU although non_blocking is set: it needs "
                 "pinned memory."
               : "The host waits for copies to the GPU. Copy with non_blocking=True, from pinned "
                 "memory.",
      fmt::format(
          "the host waited for {} of {} copies to the GPU; {:.1f} % of the step (limit {:g} %)",
          blocking, count_copies(input.copies), 100 * share, 100 * kBlockingLimit)};
}

std::optional<Advice> advise_copy_overlap(const AdviceInput& input) {
  const DeviceTimes* const worst = worst_gpu(input.devices, exposed_copy);
  if (worst == nullptr) return std::nullopt;
  const double share = share_of_steps(worst->exposed_copy(), *worst);
  if (!(share > kExposedCopyLimit)) return std::nullopt;
  return Advice{AdviceRule::kCopyOverlap,
                "Copies keep the GPU from computing. Prefetch to the device: copy the next batch "
                "on a separate stream, from pinned memory, while the step runs.",
                fmt::format("GPU {}: copies without a kernel {:.1f} % of the step (limit {:g} %); "
                            "{:.1f} % of the copy time overlapped by kernels",
                            worst->device, 100 * share, 100 * kExposedCopyLimit,
                            100 * worst->copy_overlap().value_or(0.0))};
}

}  // namespace feedrate
