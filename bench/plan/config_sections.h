// SPDX-License-Identifier: Apache-2.0
// Parses two sections of a configuration: the pipeline, torchvision's transforms by name, and
// dataset.make.
#pragma once
#include "bench/plan/config.h"
#include "bench/plan/config_node.h"
#include "loaders/decode/transform.h"

namespace feedrate {

/// `section` is the value of `pipeline:`. The order is: image transforms, then to_tensor (float32)
/// or pil_to_tensor (uint8), then normalize.
[[nodiscard]] PipelineSpec parse_pipeline(const ConfigNode& section);

/// Fills config.make and config.make_format if the section exists. Throws ConfigError naming file,
/// line and key.
void read_make(const ConfigNode& dataset, DatasetConfig& config);

}  // namespace feedrate
