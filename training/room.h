// SPDX-License-Identifier: Apache-2.0
// Whether this machine has the memory for other settings of a loader, beside those that it has: at
// a switch both have their workers. Reads /proc. Any thread.
#pragma once
#include <cstdint>
#include <string>

#include "plan/memory_model.h"
#include "training/watch.h"

namespace feedrate {

/// What the workers of `wanted` take, at `worker` bytes each beside their batches. Pure.
[[nodiscard]] MemoryNeed need_of(const WatchedLoader& now, const ScriptLoader& wanted,
                                 std::uint64_t worker);

/// Why there is no room for them; empty where there is. A worker is taken to be as large as those
/// of `now` are by their PSS. Where it has none, as a forked one that has just begun: what it will
/// touch of its parent is not known (see memory_shortage()).
[[nodiscard]] std::string why_no_room(const WatchedLoader& now, const ScriptLoader& wanted);

/// Why settings that take more memory should be given up: less than 5 % of it is left, of the
/// machine or of the control group. Empty: enough is.
[[nodiscard]] std::string memory_shortage(const ScriptProcess& process);

}  // namespace feedrate
