// SPDX-License-Identifier: Apache-2.0
// A record: one sample as stored, before decoding.
#pragma once
#include <cstdint>
#include <string_view>

#include "core/image_shape.h"
#include "core/units.h"

namespace feedrate {

enum class Payload {
  kEncoded,  ///< a JPEG or PNG file's bytes
  kPixels,   ///< 8-bit pixels, HWC, of Record::shape
  kBytes,    ///< opaque bytes, no image
};

inline constexpr std::int64_t kNoLabel = -1;

/// A view: the cursor or source that returned it owns the bytes and documents their lifetime.
struct Record {
  Bytes payload;
  std::int64_t label = kNoLabel;
  /// The sample's name without extension, unique in the dataset: "000123", "cat/0007".
  std::string_view key;
  Payload kind = Payload::kEncoded;
  ImageShape shape = {};  ///< only for kPixels
};

}  // namespace feedrate
