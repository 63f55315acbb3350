// SPDX-License-Identifier: Apache-2.0
// What the targets share. One thread.
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

/// Ends the run: two ways that must agree do not, or a parser hands out what it must not. Nobody
/// catches what it throws.
[[noreturn]] void finding(const std::string& what);

/// False where `action` refused its input by an Error.
template <typename Action>
bool accepts(const Action& action) {
  try {
    action();
  } catch (const Error&) {
    return false;
  }
  return true;
}

/// Looks at each byte, so that a sanitizer sees those that are nobody's.
void touch(Bytes bytes);
void touch(std::string_view text);

[[nodiscard]] inline std::string_view text_of(Bytes bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

[[nodiscard]] inline Bytes bytes_of(std::string_view text) noexcept {
  return std::as_bytes(std::span(text));
}

/// A file that lies in memory and has no name that anybody else could open, for parsers that take a
/// path. What a parser would leave beside it has no place to lie.
class MemoryFile {
 public:
  explicit MemoryFile(Bytes content);

  /// Valid as long as this.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  UniqueFd fd_;
  std::string path_;
};

/// The same in the folder for temporary files, for HDF5: it asks for the real path of a file, and
/// what lies in memory has none. Readable by this user only.
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

/// Opens the bytes as a file and reads every record, up to some thousands; whether any came.
[[nodiscard]] bool reads_as(OpenReader open, Bytes input, const ReadOptions& options = {});

/// Decisions, taken off the front of an input; zeros where it has ended.
class Decisions {
 public:
  explicit Decisions(Bytes input) noexcept : rest_(input) {}

  /// Of so many bytes, little-endian. REQUIRES: bytes <= 8
  [[nodiscard]] std::uint64_t number(std::size_t bytes) noexcept;
  /// In [0, bound). REQUIRES: 0 < bound <= 256
  [[nodiscard]] std::size_t below(std::size_t bound) noexcept { return number(1) % bound; }
  [[nodiscard]] bool flag() noexcept { return below(2) != 0; }
  /// What nobody has decided by.
  [[nodiscard]] Bytes rest() const noexcept { return rest_; }

 private:
  Bytes rest_;
};

}  // namespace feedrate::fuzz
