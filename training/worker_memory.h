// SPDX-License-Identifier: Apache-2.0
// The memory that workers of other settings of a loader need, and whether this machine has it: at a
// switch both settings have their workers. Reads /proc. Any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/plan/memory_model.h"
#include "training/watch.h"

namespace feedrate {

/// Memory of the workers of `wanted`: `worker` bytes each and their batches. Pure.
[[nodiscard]] MemoryNeed need_of(const WatchedLoader& now, const ScriptLoader& wanted,
                                 std::uint64_t worker);

/// Bytes of a worker, from the private memory of a loader's workers: the largest one counts.
/// Without workers: the private memory of the training process, since a forked worker may touch all
/// of it, but not less than torch needs. Pure.
[[nodiscard]] std::uint64_t bytes_of_a_worker(const std::vector<std::uint64_t>& private_memory,
                                              std::uint64_t of_the_training);

/// Why memory does not suffice for them, in all ranks of this loader; empty: it does.
[[nodiscard]] std::string why_no_memory(const WatchedLoader& now, const ScriptLoader& wanted);

/// Workers that may be started at once: one, while there is none to measure.
[[nodiscard]] std::size_t most_workers_now(const WatchedLoader& now);

/// Why settings that need more memory should be given up: less than 5 % is left, of the machine or
/// of the control group. Empty: enough is left.
[[nodiscard]] std::string memory_shortage();

}  // namespace feedrate
