// SPDX-License-Identifier: Apache-2.0
// A stream of bytes. One thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace feedrate {

class ByteInput {
 public:
  virtual ~ByteInput() = default;

  /// Reads into `into` and returns the number of bytes; 0 at the end. Blocks.
  [[nodiscard]] virtual std::size_t read(std::span<char> into) = 0;
  /// Bytes of the (compressed) file: those read, and the file's size.
  [[nodiscard]] virtual std::uint64_t consumed() const = 0;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// Whether the compressed data is truncated, as after an interrupted copy; known at the end.
  [[nodiscard]] virtual bool is_truncated() const = 0;
};

/// Opens a file and decompresses it if its first bytes are gzip's, whatever its name. Throws
/// ConfigError if there is no such file. This function and read() throw SystemError, and
/// FormatError for damaged gzip or an implausible compression ratio.
[[nodiscard]] std::unique_ptr<ByteInput> open_gzip_or_plain(const std::filesystem::path& path);

}  // namespace feedrate
