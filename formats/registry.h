// SPDX-License-Identifier: Apache-2.0
// The one table of storage formats. A new format is a row here.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/read_options.h"
#include "formats/record_reader.h"
#include "formats/record_writer.h"

namespace feedrate {

struct Format {
  std::string_view name;
  std::string_view description;
  std::string_view suffix;  ///< of a dataset's path: ".tar", ".lmdb", ".h5", "" for a folder
  Payload payload;          ///< what the writer takes
  bool one_shape;           ///< whether it must be told the shape of all pixels before the first
  /// Whether `path` looks like this format; cheap. Rows are asked in order.
  bool (*detect)(const std::filesystem::path& path);
  std::unique_ptr<RecordReader> (*open)(const std::filesystem::path& path, const ReadOptions&);
  std::unique_ptr<RecordWriter> (*create)(const std::filesystem::path& path, const WriterOptions&);
  bool bytes_too = false;  ///< whether the writer takes opaque bytes, too
  bool on_servers = true;  ///< whether it is read from objects, too
};

[[nodiscard]] std::span<const Format> formats();

/// As what the records of a dataset of `source` are written in `format`; empty where it cannot hold
/// them.
[[nodiscard]] std::optional<Payload> payload_in(const Format& format, Payload source) noexcept;

/// Throws ConfigError listing the known names.
[[nodiscard]] const Format& find_format(std::string_view name);

/// Opens a dataset of any known format, told by its path and content. Throws ConfigError if there
/// is nothing at `path` or it is of no known format, FormatError if it is damaged or empty.
[[nodiscard]] std::unique_ptr<RecordReader> open_dataset(const std::filesystem::path& path,
                                                         const ReadOptions& options = {});

}  // namespace feedrate
