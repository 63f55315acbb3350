// SPDX-License-Identifier: Apache-2.0
// Plans of a pipeline's transforms for one image, which the device executes. Pure functions; any
// thread.
#pragma once
#include <string>

#include "core/image_plan.h"
#include "loaders/decode/transform.h"

namespace feedrate {

/// The reason why the device cannot execute the transforms; empty if it can.
[[nodiscard]] std::string why_no_plan(const PipelineSpec& spec);

/// The plan for an image of shape `whole`, with the random draws that the CPU takes from `random`.
/// REQUIRES: why_no_plan(spec) is empty. Throws FormatError if an image would be too large.
[[nodiscard]] ImagePlan plan_image(const PipelineSpec& spec, const ImageShape& whole,
                                   RandomStream& random);

}  // namespace feedrate
