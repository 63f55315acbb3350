// SPDX-License-Identifier: Apache-2.0
// The transforms of a pipeline as the plan of one image, for a device that carries them out. Pure
// functions; any thread.
#pragma once
#include <string>

#include "core/image_plan.h"
#include "loaders/decode/transform.h"

namespace feedrate {

/// Why no plan stands for the pipeline's transforms; empty if one does.
[[nodiscard]] std::string why_no_plan(const PipelineSpec& spec);

/// What the transforms make of an image of shape `whole`, with the draws that they take from
/// `random` on the CPU. REQUIRES: why_no_plan(spec) is empty. Throws FormatError if an image would
/// be too large.
[[nodiscard]] ImagePlan plan_image(const PipelineSpec& spec, const ImageShape& whole,
                                   RandomStream& random);

}  // namespace feedrate
