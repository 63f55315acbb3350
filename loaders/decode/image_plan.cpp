// SPDX-License-Identifier: Apache-2.0
#include "loaders/decode/image_plan.h"

#include <algorithm>
#include <span>

namespace feedrate {
namespace {

bool crops(const ImageTransform& transform) {
  return std::holds_alternative<CenterCrop>(transform);
}

bool flips(const ImageTransform& transform) {
  return std::holds_alternative<RandomHorizontalFlip>(transform);
}

}  // namespace

std::string why_no_plan(const PipelineSpec& spec) {
  std::span<const ImageTransform> steps = spec.transforms;
  bool has_one_size = false;
  if (!steps.empty() && selects(steps.front())) {
    const auto* const resize = std::get_if<Resize>(&steps.front());
    has_one_size = resize == nullptr || resize->width.has_value();
    steps = steps.subspan(1);
  }
  if (!steps.empty() && crops(steps.front())) {
    has_one_size = true;
    steps = steps.subspan(1);
  }
  if (!std::all_of(steps.begin(), steps.end(), flips)) {
    return "the device supports resize or random_resized_crop, then center_crop, then "
           "horizontal_flip, in this order";
  }
  if (has_one_size) return {};
  return "images must end up in one size, with random_resized_crop, center_crop, or a resize to "
         "height and width";
}

ImagePlan plan_image(const PipelineSpec& spec, const ImageShape& whole, RandomStream& random) {
  std::span<const ImageTransform> steps = spec.transforms;
  Selection chosen{whole_of(whole), whole.height, whole.width};
  if (!steps.empty() && selects(steps.front())) {
    chosen = select(steps.front(), whole, random);
    steps = steps.subspan(1);
  }
  ImagePlan plan{.height = whole.height,
                 .width = whole.width,
                 .box_top = chosen.box.top,
                 .box_left = chosen.box.left,
                 .box_height = chosen.box.height,
                 .box_width = chosen.box.width,
                 .resized_height = chosen.height,
                 .resized_width = chosen.width,
                 .top = 0,
                 .left = 0,
                 .flipped = 0};
  for (const ImageTransform& step : steps) {
    if (const auto* crop = std::get_if<CenterCrop>(&step)) {
      plan.top = center_offset(chosen.height, crop->height);
      plan.left = center_offset(chosen.width, crop->width);
    } else if (random.uniform() < std::get<RandomHorizontalFlip>(step).p) {
      plan.flipped ^= 1;
    }
  }
  return plan;
}

}  // namespace feedrate
