// SPDX-License-Identifier: Apache-2.0
// Finds the operator of a kernel by the kernel's external id, or by that of the call that launched
// it. Pure functions; any thread.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/profile/timeline.h"

namespace feedrate {

/// External ids of runtime and driver calls, by correlation.
using ExternalIds = std::unordered_map<std::uint64_t, std::uint64_t>;

[[nodiscard]] inline ExternalIds external_ids_of_calls(const std::vector<Activity>& activities) {
  ExternalIds ids;
  for (const Activity& call : activities) {
    if (call.role != Role::kRuntime || call.correlation == 0) continue;
    ids[call.correlation] = call.external_id;
  }
  return ids;
}

/// External id of the kernel's operator; 0: unknown.
[[nodiscard]] inline std::uint64_t launching_operator(const Activity& kernel,
                                                      const ExternalIds& of_calls) {
  if (kernel.external_id != 0) return kernel.external_id;
  const auto call = of_calls.find(kernel.correlation);
  return call == of_calls.end() ? 0 : call->second;
}

}  // namespace feedrate
