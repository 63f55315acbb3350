// SPDX-License-Identifier: Apache-2.0
// Header blocks of tar files. Pure functions; any thread.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace feedrate {

inline constexpr std::size_t kTarBlock = 512;
inline constexpr std::size_t kTarName = 100;  ///< maximum length of a name

/// A header block. POSIX ustar and GNU agree on these offsets.
class TarHeader {
 public:
  TarHeader() = default;
  /// Makes a block in GNU's format. Owner and time are zero. REQUIRES: name.size() <= kTarName
  TarHeader(std::string_view name, std::uint64_t size, char type);

  [[nodiscard]] char* data() noexcept { return block_.data(); }

  [[nodiscard]] std::string_view text() const noexcept { return field(0, kTarBlock); }

  [[nodiscard]] bool is_zero() const noexcept;
  [[nodiscard]] bool checksum_matches() const noexcept;
  [[nodiscard]] char type() const noexcept { return block_[156]; }
  /// Includes the prefix field of POSIX headers, which GNU headers use for other things.
  [[nodiscard]] std::string name() const;
  /// Parses octal or base-256; empty if malformed or negative.
  [[nodiscard]] std::optional<std::uint64_t> size() const noexcept;

 private:
  void set(std::size_t offset, std::string_view value) noexcept;
  [[nodiscard]] std::string_view field(std::size_t offset, std::size_t length) const noexcept {
    return {block_.data() + offset, length};
  }

  std::array<char, kTarBlock> block_{};
};

/// Values from pax records ("17 path=some/name\n") that override the next header's.
struct PaxRecords {
  std::optional<std::string> path;
  std::optional<std::uint64_t> size;
  bool sparse = false;
};

/// Empty if `text` is malformed.
[[nodiscard]] std::optional<PaxRecords> parse_pax(std::string_view text);

}  // namespace feedrate
