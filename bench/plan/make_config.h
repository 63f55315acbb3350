// SPDX-License-Identifier: Apache-2.0
// The section dataset.make: a dataset to be made where there is none.
#pragma once
#include "bench/plan/config.h"
#include "bench/plan/config_node.h"

namespace feedrate {

/// Reads it, if it is there, into config.make and config.make_format. Throws ConfigError naming
/// file, line and key.
void read_make(const ConfigNode& dataset, DatasetConfig& config);

}  // namespace feedrate
