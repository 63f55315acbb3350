// SPDX-License-Identifier: Apache-2.0
#include "formats/tar/tar_header.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "core/parse_number.h"

namespace feedrate {
namespace {

constexpr std::size_t kNameOffset = 0;
constexpr std::size_t kModeOffset = 100, kOwnerOffset = 108, kGroupOffset = 116;
constexpr std::size_t kSizeOffset = 124, kSizeLength = 12;
constexpr std::size_t kTimeOffset = 136;
constexpr std::size_t kChecksumOffset = 148, kChecksumLength = 8;
constexpr std::size_t kTypeOffset = 156;
constexpr std::size_t kMagicOffset = 257, kMagicLength = 6;
constexpr std::size_t kPrefixOffset = 345, kPrefixLength = 155;
constexpr std::string_view kPosixMagic("ustar\0", kMagicLength);
constexpr std::string_view kGnuMagic = "ustar  ";
constexpr std::uint64_t kMostOctal = 077777777777;  // 11 digits and a NUL fill the field.

std::string_view until_nul(std::string_view text) noexcept {
  return text.substr(0, text.find('\0'));
}

std::optional<std::uint64_t> parse_octal(std::string_view text) noexcept {
  text = until_nul(text);
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (text.empty()) return 0;
  return parse_number<std::uint64_t>(text, 8);
}

// GNU's format for sizes from 8 GiB: a first byte of 0x80, then big-endian. 0xFF means negative.
std::optional<std::uint64_t> parse_base256(std::string_view text) noexcept {
  if (static_cast<unsigned char>(text.front()) != 0x80) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text.substr(1)) {
    if (value > std::numeric_limits<std::uint64_t>::max() >> 8) return std::nullopt;
    value = value << 8 | static_cast<unsigned char>(c);
  }
  return value;
}

std::string format_size(std::uint64_t size) {
  if (size <= kMostOctal) return fmt::format("{:011o}", size);
  std::string text(kSizeLength, '\0');
  text.front() = '\x80';
  for (std::size_t i = kSizeLength; size > 0; size >>= 8) text[--i] = static_cast<char>(size);
  return text;
}

}  // namespace

TarHeader::TarHeader(std::string_view name, std::uint64_t size, char type) {
  set(kNameOffset, name);
  set(kModeOffset, "0000644");
  set(kOwnerOffset, "0000000");
  set(kGroupOffset, "0000000");
  set(kSizeOffset, format_size(size));
  set(kTimeOffset, "00000000000");
  set(kTypeOffset, {&type, 1});
  set(kMagicOffset, kGnuMagic);
  set(kChecksumOffset, std::string(kChecksumLength, ' '));
  const unsigned sum = std::accumulate(block_.begin(), block_.end(), 0U, [](unsigned all, char c) {
    return all + static_cast<unsigned char>(c);
  });
  set(kChecksumOffset, fmt::format("{:06o}", sum) + '\0');
}

void TarHeader::set(std::size_t offset, std::string_view value) noexcept {
  std::copy(value.begin(), value.end(), block_.begin() + static_cast<std::ptrdiff_t>(offset));
}

bool TarHeader::is_zero() const noexcept {
  return std::all_of(block_.begin(), block_.end(), [](char c) { return c == '\0'; });
}

bool TarHeader::checksum_matches() const noexcept {
  const auto stored = parse_octal(field(kChecksumOffset, kChecksumLength));
  if (!stored) return false;
  std::int64_t unsigned_sum = 0;
  std::int64_t signed_sum = 0;  // Some old programs summed signed characters.
  for (std::size_t i = 0; i < block_.size(); ++i) {
    const bool own = i >= kChecksumOffset && i < kChecksumOffset + kChecksumLength;
    const char c = own ? ' ' : block_[i];
    unsigned_sum += static_cast<unsigned char>(c);
    signed_sum += static_cast<signed char>(c);
  }
  const auto sum = static_cast<std::int64_t>(*stored);
  return sum == unsigned_sum || sum == signed_sum;
}

std::string TarHeader::name() const {
  std::string name(until_nul(field(kNameOffset, kTarName)));
  if (field(kMagicOffset, kMagicLength) != kPosixMagic) return name;
  const std::string_view prefix = until_nul(field(kPrefixOffset, kPrefixLength));
  return prefix.empty() ? name : std::string(prefix) + '/' + name;
}

std::optional<std::uint64_t> TarHeader::size() const noexcept {
  const std::string_view text = field(kSizeOffset, kSizeLength);
  return (text.front() & 0x80) != 0 ? parse_base256(text) : parse_octal(text);
}

std::optional<PaxRecords> parse_pax(std::string_view text) {
  PaxRecords records;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    const auto length = parse_number<std::uint64_t>(text.substr(0, space), 10);
    if (!length || *length <= space + 1 || *length > text.size()) return std::nullopt;
    const std::string_view record = text.substr(space + 1, *length - space - 1);
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos || !record.ends_with('\n')) return std::nullopt;
    const std::string_view keyword = record.substr(0, equals);
    const std::string_view value = record.substr(equals + 1, record.size() - equals - 2);
    if (keyword == "path") records.path = std::string(value);
    if (keyword == "size" && !(records.size = parse_number<std::uint64_t>(value, 10)))
      return std::nullopt;
    if (keyword.starts_with("GNU.sparse.")) records.sparse = true;
    text.remove_prefix(*length);
  }
  return records;
}

}  // namespace feedrate
