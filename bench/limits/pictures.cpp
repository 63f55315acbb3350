// SPDX-License-Identifier: Apache-2.0
#include "bench/limits/pictures.h"

#include <numeric>
#include <span>

#include "formats/datasets/synthesize.h"
#include "loaders/decode/record_pixels.h"

namespace feedrate {
namespace {

MakeOptions options_of(Picture picture, const PictureCounts& counts) {
  MakeOptions options;
  if (picture == Picture::kSmallPng) {
    options.preset = "cifar10-like";
    options.count = counts.small;
    return options;
  }
  const bool is_huge = picture == Picture::kHugeJpeg;
  options.preset = "imagenet-like";
  options.count = is_huge ? counts.huge : counts.large;
  options.size = is_huge ? ImageSize{2000, 1500} : ImageSize{500, 375};
  if (picture == Picture::kLargePng) options.encoding = ImageEncoding::kPng;
  return options;
}

}  // namespace

const char* to_string(Picture picture) noexcept {
  switch (picture) {
    case Picture::kSmallPng:
      return "32x32 PNG";
    case Picture::kLargeJpeg:
      return "500x375 JPEG";
    case Picture::kLargePng:
      return "500x375 PNG";
    case Picture::kHugeJpeg:
      break;
  }
  return "2000x1500 JPEG";
}

const PictureSet& Pictures::of(Picture picture) {
  const std::lock_guard lock(mutex_);
  const auto found = sets_.find(picture);
  return found != sets_.end() ? found->second : sets_.emplace(picture, make(picture)).first->second;
}

PictureSet Pictures::make(Picture picture) const {
  const DatasetPlan plan = resolve(options_of(picture, counts_));
  PictureSet set;
  set.class_names = plan.class_names;
  for (std::size_t i = 0; i < plan.count; ++i) {
    set.records.push_back(make_record(plan, i, Payload::kEncoded));
  }
  return set;
}

OwnedRecord as_pixels(const OwnedRecord& encoded) {
  RecordPixels decoder;
  const Image& image = decoder.decode(encoded.view());
  const Bytes bytes = std::as_bytes(std::span(image.pixels)).first(image.shape.size());
  return {.payload = {bytes.begin(), bytes.end()},
          .label = encoded.label,
          .key = encoded.key,
          .kind = Payload::kPixels,
          .shape = image.shape};
}

double mean_bytes(const std::vector<OwnedRecord>& records) {
  const std::size_t sum = std::accumulate(
      records.begin(), records.end(), std::size_t{0},
      [](std::size_t before, const OwnedRecord& record) { return before + record.payload.size(); });
  return static_cast<double>(sum) / static_cast<double>(records.size());
}

}  // namespace feedrate
