// SPDX-License-Identifier: Apache-2.0
// What of a dataset lies in the page cache before a start of its loader: as it is, all, or nothing.
#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>

#include "bench/engines/protocol.h"
#include "bench/plan/cell_spec.h"

namespace feedrate {

/// Reads all files once, or has the kernel forget them. No root is needed. REQUIRES for kCold: this
/// process maps none of them. Throws ConfigError where this user may not drop a file, Cancelled.
void apply_cache_state(CacheState state, std::span<const std::filesystem::path> files,
                       const std::stop_token& stop);

/// Says why a share that was found resident, right before the loader starts, is not what was asked
/// for; empty where it is, or is not known.
[[nodiscard]] std::string warning_about(CacheState state, double resident);

/// Throws ConfigError where a start loads so much that it would come to records that it has read
/// before, which are cold no longer.
void check_stays_cold(const ProtocolOptions& protocol, std::size_t batch_size, std::size_t records);

}  // namespace feedrate
