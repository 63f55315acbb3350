// SPDX-License-Identifier: Apache-2.0
#include "device/activity.h"

#include <fmt/format.h>

namespace feedrate {

PinnedEvidence pinned_evidence(const std::vector<DeviceActivity>& activities) {
  PinnedEvidence evidence;
  for (const DeviceActivity& activity : activities) {
    if (activity.direction != ActivityDirection::kHostToDevice) continue;
    ++evidence.copies;
    if (activity.source == ActivityMemory::kPinned) ++evidence.pinned;
    if (activity.source == ActivityMemory::kPageable) ++evidence.pageable;
    if (activity.async) ++evidence.async;
  }
  return evidence;
}

std::vector<std::string> warnings(const ActivityTrace& trace) {
  std::vector<std::string> found;
  if (trace.dropped > 0) {
    found.push_back(
        fmt::format("The trace lacks {} records because the buffers were full: trace fewer steps.",
                    trace.dropped));
  }
  if (trace.unfinished > 0) {
    found.push_back(
        fmt::format("The trace lacks {} activities without times from CUPTI.", trace.unfinished));
  }
  if (trace.unreadable > 0) {
    found.push_back(fmt::format("The trace lacks the rest of {} buffers that could not be read.",
                                trace.unreadable));
  }
  if (!trace.problem.empty()) {
    found.push_back(fmt::format("The trace may lack its last activities: {}.", trace.problem));
  }
  return found;
}

}  // namespace feedrate
