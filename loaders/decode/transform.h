// SPDX-License-Identifier: Apache-2.0
// Transforms of a sample, with torchvision's names and meanings.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/random.h"
#include "loaders/decode/image.h"
#include "loaders/decode/resample.h"
#include "loaders/decode/selection.h"

namespace feedrate {

/// torchvision.transforms.RandomResizedCrop: area in `scale` of the image, aspect ratio in `ratio`,
/// ten tries, then the central crop; resized to height × width, bilinear, antialiased.
struct RandomResizedCrop {
  int height = 224;
  int width = 224;
  std::array<double, 2> scale{0.08, 1.0};
  std::array<double, 2> ratio{3.0 / 4.0, 4.0 / 3.0};
};

/// torchvision.transforms.Resize. If `width` is empty, the shorter side becomes `height` and the
/// other keeps the aspect ratio; otherwise the result is height × width. Bilinear, antialiased.
struct Resize {
  int height = 256;
  std::optional<int> width;
};

/// torchvision.transforms.CenterCrop; a smaller image is padded with zeros.
struct CenterCrop {
  int height = 224;
  int width = 224;
};

struct RandomHorizontalFlip {
  double p = 0.5;
};

using ImageTransform = std::variant<RandomResizedCrop, Resize, CenterCrop, RandomHorizontalFlip>;

/// Computes (x - mean) / std per channel, with x in 0..1.
struct Normalize {
  std::array<float, 3> mean{0, 0, 0};
  std::array<float, 3> std{1, 1, 1};
};

enum class SampleDtype {
  kUint8,
  kFloat32,
  kFloat16,
  kPixels,  ///< the image's bytes, HWC; the device normalizes them
};

/// The first stage that the device does; it also does all later ones.
enum class OnDevice {
  kNothing,
  kTransforms,             ///< decoded images are copied to the device
  kDecodingAndTransforms,  ///< JPEG files are copied to the device
};

/// Bytes of one value of a sample.
[[nodiscard]] std::size_t bytes_of(SampleDtype dtype) noexcept;

/// The length to which sequences of a batch are zero-padded: values of Hugging Face's `padding`.
enum class Padding {
  kLongest,    ///< the longest sequence of the batch
  kMaxLength,  ///< max_length for every batch
};

/// Records are token sequences: int32 in memory order.
struct TokenSequences {
  std::size_t max_length = 0;  ///< in tokens; longer sequences are truncated
  Padding padding = Padding::kLongest;
};

inline constexpr std::size_t kTokenBytes = sizeof(std::int32_t);

/// Records are point clouds: float32 x, y, z per point.
inline constexpr std::size_t kPointBytes = 3 * sizeof(float);

/// All steps from pixels to a sample tensor: image transforms in order, then the conversion.
struct PipelineSpec {
  std::vector<ImageTransform> transforms;
  /// kFloat32 is ToTensor (HWC 0..255 to CHW 0..1), kFloat16 the same rounded to float16, kUint8
  /// PILToTensor (CHW, uint8).
  SampleDtype dtype = SampleDtype::kFloat32;
  std::optional<Normalize> normalize = std::nullopt;  ///< only with kFloat32 and kFloat16
  Decoding decoding = Decoding::kFast;
  OnDevice on_device = OnDevice::kNothing;
  /// If set, the sample is this number of uint8: the stored record, truncated or zero-padded. Then
  /// there are no transforms.
  std::optional<std::size_t> resize_bytes = std::nullopt;
  /// If set, records are token sequences, without transforms.
  std::optional<TokenSequences> tokens = std::nullopt;
  std::optional<std::size_t> sample_points = std::nullopt;  ///< points drawn from each cloud
};

/// Whether the records are not images.
[[nodiscard]] inline bool is_opaque(const PipelineSpec& spec) noexcept {
  return spec.resize_bytes || spec.tokens || spec.sample_points;
}

/// Working memory of apply(), reused between images. One thread.
struct TransformScratch {
  Image image;
  Resampler resampler;
};

/// Applies one transform in place. The result depends on (image, transform, random) only. Throws
/// FormatError if the result would be too large. REQUIRES: the image is RGB
void apply(const ImageTransform& transform, Image& image, TransformScratch& scratch,
           RandomStream& random);

/// Whether `transform` begins with a selection, which lets a decoder skip the other pixels.
[[nodiscard]] bool selects(const ImageTransform& transform) noexcept;

/// The selection that apply() would resize in an image of shape `whole`, with the same draws.
/// Throws FormatError if the result would be too large. REQUIRES: selects(transform)
[[nodiscard]] Selection select(const ImageTransform& transform, const ImageShape& whole,
                               RandomStream& random);

/// Does the rest of a transform that selects: resizes `part` to height × width in `image`, which
/// may own the pixels of `part`.
void resize_part(const PixelView& part, int height, int width, Image& image,
                 TransformScratch& scratch);

/// The position where a CenterCrop begins on an axis of `source` pixels; negative if it begins with
/// zeros.
[[nodiscard]] int center_offset(int source, int target);

/// torchvision's RandomResizedCrop.get_params, with the same draws in the same order.
[[nodiscard]] CropBox random_crop_box(const RandomResizedCrop& transform, const ImageShape& shape,
                                      RandomStream& random);

/// Throws ConfigError, which names the key in pipeline, if `spec` is invalid.
void check(const PipelineSpec& spec);

/// The shape of an image of shape `input` after all transforms. Throws FormatError if it would be
/// too large.
[[nodiscard]] ImageShape output_shape(const PipelineSpec& spec, ImageShape input);

}  // namespace feedrate
