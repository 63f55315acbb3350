// SPDX-License-Identifier: Apache-2.0
// Helpers of the fuzz targets. One thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/host/file.h"
#include "core/temporary_folder.h"
#include "core/units.h"
#include "formats/read_options.h"
#include "formats/record_reader.h"

namespace feedrate::fuzz {

/// Reports a finding, such as two results that must be equal and are not, by an exception that
/// nobody catches.
[[noreturn]] void finding(const std::string& what);

/// Returns false if `action` rejected its input by an Error.
template <typename Action>
bool accepts(const Action& action) {
  try {
    action();
  } catch (const Error&) {
    return false;
  }
  return true;
}

/// Reads each byte, so that a sanitizer detects invalid ones.
void touch(Bytes bytes);
void touch(std::string_view text);

[[nodiscard]] inline std::string_view text_of(Bytes bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

[[nodiscard]] inline Bytes bytes_of(std::string_view text) noexcept {
  return std::as_bytes(std::span(text));
}

/// An unnamed file in memory, for parsers that take a path. No parser can create files next to it.
class MemoryFile {
 public:
  explicit MemoryFile(Bytes content);

  /// Valid while this object lives.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  UniqueFd fd_;
  std::string path_;
};

/// The same as a temporary file, for HDF5, which needs the real path of a file. Only this user can
/// read it.
class NamedFile {
 public:
  explicit NamedFile(Bytes content);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  TemporaryFolder folder_;
  std::string path_;
};

using OpenReader = std::unique_ptr<RecordReader> (*)(const std::filesystem::path& path,
                                                     const ReadOptions& options);

/// Opens the bytes as a file and reads every record, up to some thousands; returns whether any was
/// readable.
[[nodiscard]] bool reads_as(OpenReader open, Bytes input, const ReadOptions& options = {});

/// Decodes decisions from the front of an input; zeros after its end.
class Decisions {
 public:
  explicit Decisions(Bytes input) noexcept : rest_(input) {}

  /// The next `bytes` bytes as a little-endian number. REQUIRES: bytes <= 8
  [[nodiscard]] std::uint64_t number(std::size_t bytes) noexcept;
  /// A number in [0, bound). REQUIRES: 0 < bound <= 256
  [[nodiscard]] std::size_t below(std::size_t bound) noexcept { return number(1) % bound; }
  [[nodiscard]] bool flag() noexcept { return below(2) != 0; }
  /// The unused rest of the input.
  [[nodiscard]] Bytes rest() const noexcept { return rest_; }

 private:
  Bytes rest_;
};

}  // namespace feedrate::fuzz
