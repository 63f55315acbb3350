// SPDX-License-Identifier: Apache-2.0
#include "profile/copy_findings.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "profile/device_work.h"
#include "profile/steps.h"

namespace feedrate {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_launch(std::string_view call) {
  return contains(call, "Launch") || contains(call, "Memcpy") || contains(call, "Memset");
}

bool waits_itself(std::string_view call) {
  return contains(call, "Memcpy") && !contains(call, "Async");
}

bool is_stream_wait(std::string_view call) { return contains(call, "StreamSynchronize"); }

// Waits for all that the host launched, or for an event: not for the copy in particular.
bool is_other_wait(std::string_view call) {
  return contains(call, "Synchronize") && !is_stream_wait(call);
}

// Which copies the host waited for, by the order of each thread's calls of the runtime.
class Waits {
 public:
  explicit Waits(const Timeline& timeline) : timeline_(timeline) {}

  /// Time of the wait by the copy's correlation.
  std::unordered_map<std::uint64_t, Nanos> find() {
    for (const Activity& call : timeline_.activities) {
      // The driver's calls are not counted, yet they launch.
      const bool is_driver = call.role == Role::kUncounted && call.correlation != 0;
      if (call.device == kHost && (call.role == Role::kRuntime || is_driver)) inspect(call);
    }
    return std::move(waits_);
  }

 private:
  void inspect(const Activity& call) {
    const std::string_view name = timeline_.names.text(call.name);
    std::uint64_t& copy = last_copy_[{call.process, call.lane}];
    const Nanos length = call.span.end - call.span.begin;
    if (is_launch(name)) {
      copy = contains(name, "Memcpy") ? call.correlation : 0;
      if (!waits_itself(name)) return;
      waits_[call.correlation] += length;
      copy = 0;
    } else if (is_stream_wait(name) && copy != 0) {
      waits_[std::exchange(copy, 0)] += length;
    } else if (is_other_wait(name)) {
      copy = 0;
    }
  }

  const Timeline& timeline_;
  // Of each thread, the correlation of a copy that was its last launch.
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> last_copy_;
  std::unordered_map<std::uint64_t, Nanos> waits_;
};

bool goes_to_device(const Activity& activity) {
  return is_copy(activity) && activity.target == MemoryKind::kDevice &&
         activity.source != MemoryKind::kDevice;
}

std::map<std::int32_t, std::vector<TimeInterval>> kernels_by_device(const Timeline& timeline) {
  std::map<std::int32_t, std::vector<TimeInterval>> kernels;
  for (const Activity& activity : timeline.activities) {
    if (is_kernel(activity)) kernels[activity.device].push_back(activity.span);
  }
  for (auto& [device, spans] : kernels) spans = merged(std::move(spans));
  return kernels;
}

}  // namespace

std::vector<CopyFinding> copy_findings(const Timeline& timeline,
                                       const std::vector<StepSpan>& steps) {
  const TimeInterval window = step_window(steps);
  std::unordered_map<std::uint64_t, Nanos> waits = Waits(timeline).find();
  auto kernels = kernels_by_device(timeline);
  std::map<MemoryKind, CopyFinding> by_kind;
  for (const Activity& copy : timeline.activities) {
    if (!goes_to_device(copy)) continue;
    if (copy.span.end <= window.begin || window.end <= copy.span.begin) continue;
    CopyFinding& finding = by_kind[copy.source];
    finding.source = copy.source;
    ++finding.copies;
    finding.bytes += copy.bytes;
    finding.largest = std::max(finding.largest, copy.bytes);
    finding.time += copy.span.end - copy.span.begin;
    finding.overlapped += length_within(kernels[copy.device], copy.span);
    const auto wait = copy.correlation == 0 ? waits.end() : waits.find(copy.correlation);
    if (wait == waits.end()) continue;
    ++finding.blocking;
    finding.waited += std::exchange(wait->second, Nanos(0));  // Once, whatever shares its number.
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
