// SPDX-License-Identifier: Apache-2.0
// How large a sample is once it is decoded and transformed. Any thread.
#pragma once
#include <cstddef>
#include <string>

#include "bench/plan/config.h"

namespace feedrate {

/// From the first record's header; 0 where the dataset is not there yet, is in Python, or cannot be
/// read, of which `problem` then speaks.
[[nodiscard]] std::size_t sample_bytes(const SweepConfig& config, std::string& problem);

}  // namespace feedrate
