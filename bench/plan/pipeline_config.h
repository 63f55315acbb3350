// SPDX-License-Identifier: Apache-2.0
// Parses the pipeline section: torchvision's transforms by name.
#pragma once
#include "bench/plan/config_node.h"
#include "loaders/decode/transform.h"

namespace feedrate {

/// `section` is the value of `pipeline:`. The order is: image transforms, then to_tensor (float32)
/// or pil_to_tensor (uint8), then normalize.
[[nodiscard]] PipelineSpec parse_pipeline(const ConfigNode& section);

}  // namespace feedrate
