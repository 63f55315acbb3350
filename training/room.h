// SPDX-License-Identifier: Apache-2.0
// Whether this machine has the memory for other settings of a loader, beside those that it has: at
// a switch both have their workers. Reads /proc. Any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/plan/memory_model.h"
#include "training/watch.h"

namespace feedrate {

/// What the workers of `wanted` take, at `worker` bytes each beside their batches. Pure.
[[nodiscard]] MemoryNeed need_of(const WatchedLoader& now, const ScriptLoader& wanted,
                                 std::uint64_t worker);

/// Bytes that a worker takes, from what those of a loader have for themselves (`private_memory`):
/// the largest one counts. Where there is none, a forked worker comes to have as much of its own as
/// the training process has, if it touches all of that, and no less than torch itself takes. Pure.
[[nodiscard]] std::uint64_t bytes_of_a_worker(const std::vector<std::uint64_t>& private_memory,
                                              std::uint64_t of_the_training);

/// Why there is no room for them, in all ranks of this loader; empty where there is.
[[nodiscard]] std::string why_no_room(const WatchedLoader& now, const ScriptLoader& wanted);

/// How many workers may be started at once: one, as long as there is none to be measured.
[[nodiscard]] std::size_t most_workers_now(const WatchedLoader& now);

/// Why settings that take more memory should be given up: less than 5 % of it is left, of the
/// machine or of the control group. Empty: enough is.
[[nodiscard]] std::string memory_shortage();

}  // namespace feedrate
