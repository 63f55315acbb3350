// Uncompressed tar shards with WebDataset's naming rule, read at random through an index.
#pragma once
#include <filesystem>
#include <memory>
#include <vector>

#include "formats/record_reader.h"

namespace feedrate {

/// `path` is one tar file or a folder of shards. Throws FormatError if a shard is damaged or
/// compressed, or if no image is found.
[[nodiscard]] std::unique_ptr<RecordReader> open_tar_reader(const std::filesystem::path& path);

/// Whether `path` is a folder with *.tar files and with neither images nor folders.
[[nodiscard]] bool is_shard_folder(const std::filesystem::path& path);

}  // namespace feedrate
