// SPDX-License-Identifier: Apache-2.0
// Parses and writes tf.train.Example, a map from names to lists of bytes, floats or integers. Pure
// functions; any thread.
//
//   message Example  { Features features = 1; }
//   message Features { map<string, Feature> feature = 1; }
//   message Feature  { oneof kind { BytesList bytes_list = 1; FloatList float_list = 2;
//                                   Int64List int64_list = 3; } }
//   message XList    { repeated X value = 1; }
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/units.h"
#include "formats/record.h"

namespace feedrate {

/// Views of the parsed bytes.
struct Example {
  /// "image/encoded", or else the first value that begins like JPEG or PNG, or else kBytesFeature.
  Bytes payload;
  Payload kind = Payload::kEncoded;
  std::int64_t label = kNoLabel;
  std::string_view key;  ///< kKeyFeature; empty if another program wrote the file
};

/// DLIO's feature for opaque bytes.
inline constexpr std::string_view kBytesFeature = "image";

/// feedrate's feature for a record's key.
inline constexpr std::string_view kKeyFeature = "feedrate/key";

/// Empty if the bytes are no tf.train.Example. The payload may be empty.
[[nodiscard]] std::optional<Example> parse_example(Bytes bytes) noexcept;

/// The first features, for messages: "image/height (int64), image/raw (bytes)".
[[nodiscard]] std::string describe_features(Bytes example);

/// Serializes an Example with those features of TensorFlow's ImageNet converter that the record
/// has: image/encoded, image/format, image/filename, image/class/label, image/class/text. Opaque
/// bytes get DLIO's features: image, and size, the square root of their number.
[[nodiscard]] std::string format_example(const Record& record, std::string_view class_name);

}  // namespace feedrate
