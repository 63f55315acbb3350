// SPDX-License-Identifier: Apache-2.0
#include "formats/one_shape.h"

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {

ImageShape required_shape(const std::filesystem::path& path, const WriterOptions& options,
                          std::string_view format) {
  const ImageShape shape = options.shape.value_or(ImageShape{});
  if (shape.height < 1 || shape.width < 1 || (shape.channels != 1 && shape.channels != 3)) {
    throw ConfigError(
        fmt::format("{}: pixels in {} need one shape of height × width × 3 (or 1) for "
                    "all records; add resize/center_crop or use an encoded format",
                    path.string(), format));
  }
  return shape;
}

void require_shape(const Record& record, const ImageShape& shape, const std::string& target) {
  if (record.shape == shape) return;
  throw FormatError({.file = target},
                    fmt::format("record \"{}\" is {}×{}×{}, but the others are {}×{}×{}; add "
                                "resize/center_crop or use an encoded format",
                                record.key, record.shape.height, record.shape.width,
                                record.shape.channels, shape.height, shape.width, shape.channels));
}

}  // namespace feedrate
