// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/copy_findings.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "analysis/profile/device_work.h"
#include "analysis/profile/host_waits.h"
#include "analysis/profile/steps.h"

namespace feedrate {
namespace {

// Bytes by the correlation of the calls that copy: ROCm records bytes only there.
std::unordered_map<std::uint64_t, std::uint64_t> bytes_of_calls(const Timeline& timeline) {
  std::unordered_map<std::uint64_t, std::uint64_t> bytes;
  for (const Activity& call : timeline.activities) {
    if (call.role == Role::kRuntime && call.correlation != 0 && call.bytes != 0) {
      bytes[call.correlation] = call.bytes;
    }
  }
  return bytes;
}

std::map<std::int32_t, std::vector<TimeInterval>> kernels_by_device(const Timeline& timeline) {
  std::map<std::int32_t, std::vector<TimeInterval>> kernels;
  for (const auto& [device, work] : work_by_device(timeline)) {
    kernels[device] = merged(spans_where(work, is_kernel));
  }
  return kernels;
}

std::uint64_t bytes_of(const Activity& copy,
                       const std::unordered_map<std::uint64_t, std::uint64_t>& asked) {
  const auto call = asked.find(copy.correlation);
  return copy.bytes == 0 && call != asked.end() ? call->second : copy.bytes;
}

void add_bytes(CopyFinding& finding, std::uint64_t bytes) {
  if (bytes == 0) ++finding.without_bytes;
  finding.bytes += bytes;
  finding.largest = std::max(finding.largest, bytes);
}

}  // namespace

std::vector<CopyFinding> copy_findings(const Timeline& timeline,
                                       const std::vector<StepSpan>& steps) {
  const TimeInterval window = step_window(steps);
  std::unordered_map<std::uint64_t, Nanos> waits = waits_by_copy(host_waits(timeline));
  const auto asked = bytes_of_calls(timeline);
  auto kernels = kernels_by_device(timeline);
  std::map<MemoryKind, CopyFinding> by_kind;
  for (const Activity& copy : timeline.activities) {
    if (!goes_to_device(copy) || !copy.span.overlaps(window)) continue;
    CopyFinding& finding = by_kind[copy.source];
    finding.source = copy.source;
    ++finding.copies;
    add_bytes(finding, bytes_of(copy, asked));
    finding.time += copy.span.length();
    finding.overlapped += length_within(kernels[copy.device], copy.span);
    const auto wait = copy.correlation == 0 ? waits.end() : waits.find(copy.correlation);
    if (wait == waits.end()) continue;
    ++finding.blocking;
    finding.waited += std::exchange(wait->second, Nanos(0));  // A correlation's wait counts once.
  }
  std::vector<CopyFinding> findings;
  for (const auto& [kind, finding] : by_kind) findings.push_back(finding);
  return findings;
}

const char* memory_kind_name(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kPageable:
      return "pageable";
    case MemoryKind::kPinned:
      return "pinned";
    case MemoryKind::kDevice:
      return "device";
    case MemoryKind::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace feedrate
