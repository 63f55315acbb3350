// SPDX-License-Identifier: Apache-2.0
// Reads dataset.make, which describes how to make a missing dataset.
#pragma once
#include "bench/plan/config.h"
#include "bench/plan/config_node.h"

namespace feedrate {

/// Fills config.make and config.make_format if the section exists. Throws ConfigError naming file,
/// line and key.
void read_make(const ConfigNode& dataset, DatasetConfig& config);

}  // namespace feedrate
