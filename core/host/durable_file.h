// SPDX-License-Identifier: Apache-2.0
// Reads whole files, and replaces them such that a crash or a full disk leaves either the old or
// the new content. One writer per file.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace feedrate {

/// Throws SystemError, and FormatError if the file is longer than `limit` bytes or not a regular
/// file: a FIFO or a device may never end.
[[nodiscard]] std::string read_whole_file(const std::filesystem::path& path,
                                          std::uint64_t limit = std::uint64_t{1} << 30);

/// Writes a temporary file in the same folder, makes it durable and renames it over `path`, or over
/// the target of a link there; permissions stay. If it throws SystemError, `path` is unchanged and
/// the temporary file is removed. A file that is not regular, such as /dev/stdout or a FIFO, is
/// written in place.
void replace_file(const std::filesystem::path& path, std::string_view content);

/// Appends to `path`, creating it if it does not exist; durable on return. If it throws
/// SystemError, a part of `content` may have been appended.
void append_to_file(const std::filesystem::path& path, std::string_view content);

/// Creates `path` empty if it does not exist, and proves that a file there can be written.
/// Throws SystemError.
void touch_file(const std::filesystem::path& path);

}  // namespace feedrate
