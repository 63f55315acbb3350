// SPDX-License-Identifier: Apache-2.0
// What a user may ask to be done to each sample, with torchvision's names and meanings.
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
/// ten tries, then the central crop; resized to size × size, bilinear, antialiased.
struct RandomResizedCrop {
  int height = 224;
  int width = 224;
  std::array<double, 2> scale{0.08, 1.0};
  std::array<double, 2> ratio{3.0 / 4.0, 4.0 / 3.0};
};

/// torchvision.transforms.Resize. With `width` empty, the shorter side becomes `height` and the
/// other follows; otherwise exactly height × width. Bilinear, antialiased.
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

/// (x - mean) / std per channel, of values in 0..1.
struct Normalize {
  std::array<float, 3> mean{0, 0, 0};
  std::array<float, 3> std{1, 1, 1};
};

enum class SampleDtype {
  kUint8,
  kFloat32,
  kFloat16,
  kPixels,  ///< bytes as the image has them, HWC: what a device normalises by itself
};

/// What of the way from a record to a tensor is left to the device; all behind it is, too.
enum class OnDevice {
  kNothing,
  kTransforms,             ///< decoded images cross as they are
  kDecodingAndTransforms,  ///< JPEG files cross as they are
};

/// Of one value of a sample.
[[nodiscard]] std::size_t bytes_of(SampleDtype dtype) noexcept;

/// What the sequences of a batch are filled up to with zeros: values of Hugging Face's `padding`.
enum class Padding {
  kLongest,    ///< the longest one of the batch
  kMaxLength,  ///< max_length, whatever the batch holds
};

/// Records are sequences of tokens: int32 as in memory, one after the other.
struct TokenSequences {
  std::size_t max_length = 0;  ///< in tokens; a longer sequence is cut
  Padding padding = Padding::kLongest;
};

inline constexpr std::size_t kTokenBytes = sizeof(std::int32_t);

/// Records are clouds of points: float32 x, y and z of a point, then those of the next.
inline constexpr std::size_t kPointBytes = 3 * sizeof(float);

/// The whole way from pixels to a sample tensor: image transforms in order, then the tensor.
struct PipelineSpec {
  std::vector<ImageTransform> transforms;
  /// kFloat32 is ToTensor (HWC 0..255 to CHW 0..1), kFloat16 the same and then rounded, kUint8
  /// PILToTensor (CHW, bytes stay).
  SampleDtype dtype = SampleDtype::kFloat32;
  std::optional<Normalize> normalize = std::nullopt;  ///< only with kFloat32 and kFloat16
  Decoding decoding = Decoding::kFast;
  OnDevice on_device = OnDevice::kNothing;
  /// The record as it is stored, whatever it holds: its first bytes, and zeros behind a shorter
  /// one. Then there are no transforms, and the sample is as many uint8.
  std::optional<std::size_t> resize_bytes = std::nullopt;
  /// Records of another kind, which have no transforms either and cross as the bytes they are.
  std::optional<TokenSequences> tokens = std::nullopt;
  std::optional<std::size_t> sample_points = std::nullopt;  ///< of a cloud, drawn again each epoch
};

/// Whether records are taken that are no images.
[[nodiscard]] inline bool is_opaque(const PipelineSpec& spec) noexcept {
  return spec.resize_bytes || spec.tokens || spec.sample_points;
}

/// Working memory of apply(), which keeps its size. One thread.
struct TransformScratch {
  Image image;
  Resampler resampler;
};

/// Applies one transform in place. The result is a function of (image, transform, random) only.
/// Throws FormatError if it would be too large. REQUIRES: the image is RGB
void apply(const ImageTransform& transform, Image& image, TransformScratch& scratch,
           RandomStream& random);

/// Whether `transform` begins with a selection, so that a decoder need not make all pixels.
[[nodiscard]] bool selects(const ImageTransform& transform) noexcept;

/// The selection that apply() would resize of an image of shape `whole`, with the same draws.
/// Throws FormatError if it would be too large. REQUIRES: selects(transform)
[[nodiscard]] Selection select(const ImageTransform& transform, const ImageShape& whole,
                               RandomStream& random);

/// The rest of a transform that selects: `part` becomes height × width pixels in `image`, which may
/// own those of `part`.
void resize_part(const PixelView& part, int height, int width, Image& image,
                 TransformScratch& scratch);

/// Where the result of a CenterCrop begins on an axis of `source` pixels; below 0 where it begins
/// with zeros.
[[nodiscard]] int center_offset(int source, int target);

/// torchvision's RandomResizedCrop.get_params: what it draws, and in which order.
[[nodiscard]] CropBox random_crop_box(const RandomResizedCrop& transform, const ImageShape& shape,
                                      RandomStream& random);

/// Throws ConfigError, which names the key within pipeline, if no image can be made by `spec`.
void check(const PipelineSpec& spec);

/// The shape after all transforms of an image of shape `input`. Throws FormatError if it would be
/// too large.
[[nodiscard]] ImageShape output_shape(const PipelineSpec& spec, ImageShape input);

}  // namespace feedrate
