// SPDX-License-Identifier: Apache-2.0
// Checks for writers whose pixels all have one shape. Pure functions; any thread.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "core/image_shape.h"
#include "formats/record.h"
#include "formats/record_writer.h"

namespace feedrate {

/// options.shape. Throws ConfigError, naming `format`, if it is missing or no shape of images.
[[nodiscard]] ImageShape required_shape(const std::filesystem::path& path,
                                        const WriterOptions& options, std::string_view format);

/// Throws FormatError if `record` has another shape.
void require_shape(const Record& record, const ImageShape& shape, const std::string& target);

}  // namespace feedrate
