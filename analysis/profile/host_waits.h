// SPDX-License-Identifier: Apache-2.0
// Runtime calls in which the host waited for a GPU, such as "cudaStreamSynchronize",
// "hipDeviceSynchronize" and synchronous copies. The order of each thread's calls identifies them.
// Pure functions; any thread.
#pragma once
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/profile/timeline.h"

namespace feedrate {

struct HostWait {
  TimeInterval span;
  std::pair<std::int64_t, std::int64_t> lane;  ///< (process, thread)
  /// Correlation of the copy that was waited for, the thread's last launch; 0: none.
  std::uint64_t copy = 0;
};

/// Whether a call waits for a GPU or copies, by its name; such a call may take as long as the GPU's
/// work.
[[nodiscard]] bool waits_or_copies(std::string_view call);

/// Finds the waits, in the order of the timeline.
[[nodiscard]] std::vector<HostWait> host_waits(const Timeline& timeline);

/// Length of the waits for each copy, by its correlation.
[[nodiscard]] std::unordered_map<std::uint64_t, Nanos> waits_by_copy(
    const std::vector<HostWait>& waits);

/// Whether a copy goes from the host to a GPU.
[[nodiscard]] bool goes_to_device(const Activity& activity);

/// Correlations of the copies from the host to GPUs.
[[nodiscard]] std::unordered_set<std::uint64_t> copies_to_devices(const Timeline& timeline);

}  // namespace feedrate
