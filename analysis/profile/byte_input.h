// SPDX-License-Identifier: Apache-2.0
// Bytes one after the other, from wherever they come. One thread.
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

  /// How many bytes were written to `into`; 0 at the end. Blocks.
  [[nodiscard]] virtual std::size_t read(std::span<char> into) = 0;
  /// Bytes of the file itself, packed as it may be: how many were read, and how many there are.
  [[nodiscard]] virtual std::uint64_t consumed() const = 0;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// After the end: whether the packed data stops in the middle, as after a copy that broke off.
  [[nodiscard]] virtual bool is_cut() const = 0;
};

/// A file, unpacked where its first bytes are those of gzip, whatever its name. Throws ConfigError
/// where there is no such file; this and read() throw SystemError, and FormatError for damaged
/// gzip and for one that unpacks to far more than a trace does.
[[nodiscard]] std::unique_ptr<ByteInput> open_gzip_or_plain(const std::filesystem::path& path);

}  // namespace feedrate
