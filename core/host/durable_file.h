// SPDX-License-Identifier: Apache-2.0
// Whole files at once: read, and replaced such that a crash or a full disk leaves either the old
// content or the new. One writer a file.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace feedrate {

/// Throws SystemError, and FormatError where it is longer than `limit` bytes or no regular file: a
/// FIFO or a device may never end.
[[nodiscard]] std::string read_whole_file(const std::filesystem::path& path,
                                          std::uint64_t limit = std::uint64_t{1} << 30);

/// Writes a temporary file in the same folder, makes it durable and renames it over `path`, or what
/// a link there leads to; permissions stay. Throws SystemError; `path` then is as it was and the
/// temporary file is gone. What is no regular file, as /dev/stdout or a FIFO, is written to as it
/// is.
void replace_file(const std::filesystem::path& path, std::string_view content);

/// Appends to `path`, creating it where it does not exist; durable on return. Throws SystemError; a
/// part of `content` may be there then.
void append_to_file(const std::filesystem::path& path, std::string_view content);

/// Creates `path` empty where it does not exist, and proves that a file there can be written.
/// Throws SystemError.
void touch_file(const std::filesystem::path& path);

}  // namespace feedrate
