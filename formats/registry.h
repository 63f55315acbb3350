// SPDX-License-Identifier: Apache-2.0
// The table of storage formats, a row each.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/formats.h"

namespace feedrate {

struct Format {
  std::string_view name;
  std::string_view description;
  std::string_view suffix;  ///< of a dataset's path: ".tar", ".h5"; "" for a folder
  Payload payload;          ///< the kind that the writer takes
  bool one_shape;           ///< whether the writer needs WriterOptions::shape
  /// Whether `path` looks like this format; cheap. Rows are tried in order.
  bool (*detect)(const std::filesystem::path& path);
  OpenReader* open;
  CreateWriter* create;
  bool bytes_too = false;  ///< whether the writer also takes opaque bytes
  bool on_servers = true;  ///< whether it can be read from servers
};

[[nodiscard]] std::span<const Format> formats();

/// The payload that `format` stores for records of kind `source`; empty if it cannot hold them.
[[nodiscard]] std::optional<Payload> payload_in(const Format& format, Payload source) noexcept;

/// Throws ConfigError, listing the known names, for any other name.
[[nodiscard]] const Format& find_format(std::string_view name);

/// Opens a dataset; its format follows from its path and content. Throws ConfigError if there is
/// nothing at `path` or its format is unknown, FormatError if it is damaged or empty.
[[nodiscard]] std::unique_ptr<RecordReader> open_dataset(const std::filesystem::path& path,
                                                         const ReadOptions& options = {});

}  // namespace feedrate
