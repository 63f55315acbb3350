// SPDX-License-Identifier: Apache-2.0
// The size of a decoded and transformed sample. Any thread.
#pragma once
#include <cstddef>
#include <string>

#include "bench/plan/config.h"

namespace feedrate {

/// Reads the first record's header. Returns 0 if the dataset does not exist yet, is in Python, or
/// cannot be read, which `problem` explains.
[[nodiscard]] std::size_t sample_bytes(const SweepConfig& config, std::string& problem);

}  // namespace feedrate
