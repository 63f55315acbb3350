// A folder of image files: one folder per class as torchvision's ImageFolder reads it, a flat
// folder with labels.csv, or a flat folder without labels. See docs/formats.md.
#pragma once
#include <filesystem>
#include <memory>

#include "formats/record_reader.h"

namespace feedrate {

/// Throws FormatError if no image is found, ConfigError if labels are kept in a form not read here.
[[nodiscard]] std::unique_ptr<RecordReader> open_folder_reader(const std::filesystem::path& path);

}  // namespace feedrate
