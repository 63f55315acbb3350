// SPDX-License-Identifier: Apache-2.0
// The records of a ZIP file, to bytes and back (PKWARE's APPNOTE 6.3, stored members, ZIP64). Pure
// functions; any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.h"

namespace feedrate {

struct ZipMember {
  std::string name;
  std::uint64_t header = 0;  ///< where its local header begins
  std::uint64_t size = 0;    ///< as stored
  std::uint32_t crc = 0;
  std::uint16_t method = 0;  ///< 0 is stored
  bool is_encrypted = false;
};

/// Without the name and the extra field that follow it.
inline constexpr std::size_t kZipLocalHeader = 30;
/// Without a comment.
inline constexpr std::size_t kZipEnd = 22;
inline constexpr std::size_t kZipMaxComment = 0xFFFF;
inline constexpr std::size_t kZip64Locator = 20;
inline constexpr std::size_t kZip64End = 56;

/// Where the central directory lies.
struct ZipDirectoryPlace {
  std::uint64_t members = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
  /// Whether a number did not fit and stands in the ZIP64 record.
  bool is_in_zip64 = false;
};

/// The bytes between local header and data: name and extra field; empty if it is no local header.
[[nodiscard]] std::optional<std::size_t> zip_local_gap(Bytes header) noexcept;

/// Where in the last bytes of a file its end record begins.
[[nodiscard]] std::optional<std::size_t> find_zip_end(Bytes tail) noexcept;
/// REQUIRES: end.size() >= kZipEnd
[[nodiscard]] ZipDirectoryPlace parse_zip_end(Bytes end) noexcept;
/// Where the ZIP64 end record lies; empty if it is no locator.
[[nodiscard]] std::optional<std::uint64_t> parse_zip64_locator(Bytes locator) noexcept;
[[nodiscard]] std::optional<ZipDirectoryPlace> parse_zip64_end(Bytes end) noexcept;

/// Takes one member off the front of the central directory; empty if that is damaged.
[[nodiscard]] std::optional<ZipMember> take_zip_member(Bytes& directory);

[[nodiscard]] std::string format_zip_local_header(const ZipMember& member);
/// The central directory, which begins at `offset`, and the end records.
[[nodiscard]] std::string format_zip_directory(const std::vector<ZipMember>& members,
                                               std::uint64_t offset);

}  // namespace feedrate
