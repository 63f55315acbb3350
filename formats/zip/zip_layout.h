// SPDX-License-Identifier: Apache-2.0
// Parses and formats the records of a ZIP file (PKWARE's APPNOTE 6.3, stored members, ZIP64). Pure
// functions but for read_zip_directory(); any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units.h"
#include "formats/packed_file.h"

namespace feedrate {

struct ZipMember {
  std::string name;
  std::uint64_t header = 0;  ///< offset of the local header
  std::uint64_t size = 0;    ///< in the file
  std::uint32_t crc = 0;
  std::uint16_t method = 0;  ///< of compression; 0: stored
  bool is_encrypted = false;
};

/// Size of a local header without name and extra field.
inline constexpr std::size_t kZipLocalHeader = 30;
/// Size of an end record without comment.
inline constexpr std::size_t kZipEnd = 22;
inline constexpr std::size_t kZipMaxComment = 0xFFFF;
inline constexpr std::size_t kZip64Locator = 20;
inline constexpr std::size_t kZip64End = 56;

/// The position of the central directory.
struct ZipDirectory {
  std::uint64_t members = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
  /// Whether a value overflowed, so that the ZIP64 record has it.
  bool is_in_zip64 = false;
};

/// The size of name and extra field, which precede the data; empty if it is no local header.
[[nodiscard]] std::optional<std::size_t> zip_local_gap(Bytes header) noexcept;

/// The offset of the end record in the last bytes of a file; empty if there is none.
[[nodiscard]] std::optional<std::size_t> find_zip_end(Bytes tail) noexcept;
/// REQUIRES: end.size() >= kZipEnd
[[nodiscard]] ZipDirectory parse_zip_end(Bytes end) noexcept;
/// The file offset of the ZIP64 end record; empty if `locator` is none.
[[nodiscard]] std::optional<std::uint64_t> parse_zip64_locator(Bytes locator) noexcept;
[[nodiscard]] std::optional<ZipDirectory> parse_zip64_end(Bytes end) noexcept;

/// Takes one member off the front of the central directory; empty if it is damaged.
[[nodiscard]] std::optional<ZipMember> take_zip_member(Bytes& directory);

[[nodiscard]] std::string format_zip_local_header(const ZipMember& member);
/// The bytes of the central directory, which begins at `offset`, and of the end records.
[[nodiscard]] std::string format_zip_directory(const std::vector<ZipMember>& members,
                                               std::uint64_t offset);

/// The members, in the order of the directory; each is within the file. Throws FormatError if the
/// file is truncated, damaged, split over several files, or no ZIP file.
[[nodiscard]] std::vector<ZipMember> read_zip_directory(const PackedFile& file, PackedReads& reads);

}  // namespace feedrate
