// SPDX-License-Identifier: Apache-2.0
// Brings the page cache into the state that a cell asks for before its loader starts.
#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>

#include "bench/engines/protocol.h"
#include "bench/plan/cell_spec.h"

namespace feedrate {

/// kWarm reads all files once, kCold drops them from the page cache, without root. REQUIRES for
/// kCold: this process maps none of them. Throws ConfigError if this user may not drop a file, and
/// Cancelled.
void apply_cache_state(CacheState state, std::span<const std::filesystem::path> files,
                       const std::stop_token& stop);

/// Explains why the share that was resident right before the loader started is not what was asked
/// for; empty if it is, or if it is unknown.
[[nodiscard]] std::string warning_about(CacheState state, double resident);

/// Throws ConfigError if a start loads so much that it would read records a second time, from the
/// page cache.
void check_stays_cold(const ProtocolOptions& protocol, std::size_t batch_size, std::size_t records);

}  // namespace feedrate
