// SPDX-License-Identifier: Apache-2.0
#include "formats/zip/zip_layout.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "formats/load.h"

namespace feedrate {
namespace {

constexpr std::uint32_t kLocalSignature = 0x04034B50;
constexpr std::uint32_t kMemberSignature = 0x02014B50;
constexpr std::uint32_t kEndSignature = 0x06054B50;
constexpr std::uint32_t kZip64EndSignature = 0x06064B50;
constexpr std::uint32_t kZip64LocatorSignature = 0x07064B50;
constexpr std::size_t kMemberBytes = 46;
constexpr std::uint16_t kZip64Extra = 1;

constexpr auto kFull16 = std::numeric_limits<std::uint16_t>::max();
constexpr auto kFull32 = std::numeric_limits<std::uint32_t>::max();

constexpr std::uint16_t kZipVersion = 20;
constexpr std::uint16_t kZip64Version = 45;
constexpr std::uint16_t kMadeByUnix = 3 << 8;
constexpr std::uint16_t kEncrypted = 1;
constexpr std::uint16_t kUtf8 = 1 << 11;
/// 1 January 1980, the earliest date: the same records give the same bytes.
constexpr std::uint16_t kDate = 0x21;
constexpr std::uint32_t kRegularFile = 0100644U << 16;
constexpr std::uint32_t kFolder = 040755U << 16 | 0x10;

bool begins_with(Bytes bytes, std::uint32_t signature, std::size_t size) noexcept {
  return bytes.size() >= size && load<std::uint32_t>(bytes, 0) == signature;
}

template <typename T>
void put_little(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

/// Replaces 32-bit values that overflowed by those of the ZIP64 extra field: sizes, then offset.
bool read_zip64(Bytes extra, std::uint64_t& raw_size, ZipMember& member) {
  while (extra.size() >= 4) {
    const auto id = load<std::uint16_t>(extra, 0);
    const std::size_t length = load<std::uint16_t>(extra, 2);
    if (length > extra.size() - 4) return false;
    Bytes numbers = extra.subspan(4, length);
    extra = extra.subspan(4 + length);
    if (id != kZip64Extra) continue;
    for (std::uint64_t* number : {&raw_size, &member.size, &member.header}) {
      if (*number != kFull32) continue;
      if (numbers.size() < sizeof(std::uint64_t)) return false;
      *number = load<std::uint64_t>(numbers, 0);
      numbers = numbers.subspan(sizeof(std::uint64_t));
    }
    return true;
  }
  return true;
}

/// Writes the fields that local header and central directory share, from the version on.
void put_common(std::string& out, const ZipMember& member, std::uint16_t version) {
  put_little(out, version);
  put_little(out, kUtf8);
  put_little(out, member.method);
  put_little(out, std::uint16_t{0});  // midnight
  put_little(out, kDate);
  put_little(out, member.crc);
  put_little(out, static_cast<std::uint32_t>(member.size));
  put_little(out, static_cast<std::uint32_t>(member.size));
  put_little(out, static_cast<std::uint16_t>(member.name.size()));
}

void put_member(std::string& out, const ZipMember& member) {
  const bool is_far = member.header >= kFull32;
  put_little(out, kMemberSignature);
  put_little(out, static_cast<std::uint16_t>(kMadeByUnix | kZipVersion));
  put_common(out, member, is_far ? kZip64Version : kZipVersion);
  put_little(out, static_cast<std::uint16_t>(is_far ? 12 : 0));  // extra field
  put_little(out, std::uint16_t{0});                             // comment
  put_little(out, std::uint16_t{0});                             // disk
  put_little(out, std::uint16_t{0});                             // internal attributes
  put_little(out, member.name.ends_with('/') ? kFolder : kRegularFile);
  put_little(out, is_far ? kFull32 : static_cast<std::uint32_t>(member.header));
  out += member.name;
  if (!is_far) return;
  put_little(out, kZip64Extra);
  put_little(out, std::uint16_t{sizeof(member.header)});
  put_little(out, member.header);
}

void put_zip64_end(std::string& out, const ZipDirectory& directory) {
  put_little(out, kZip64EndSignature);
  put_little(out, std::uint64_t{kZip64End - 12});
  put_little(out, static_cast<std::uint16_t>(kMadeByUnix | kZip64Version));
  put_little(out, kZip64Version);
  put_little(out, std::uint64_t{0});  // two disks
  put_little(out, directory.members);
  put_little(out, directory.members);
  put_little(out, directory.size);
  put_little(out, directory.offset);
  put_little(out, kZip64LocatorSignature);
  put_little(out, std::uint32_t{0});
  put_little(out, directory.offset + directory.size);
  put_little(out, std::uint32_t{1});
}

void put_end(std::string& out, const ZipDirectory& directory) {
  const auto members =
      static_cast<std::uint16_t>(std::min<std::uint64_t>(directory.members, kFull16));
  put_little(out, kEndSignature);
  put_little(out, std::uint32_t{0});  // two disks
  put_little(out, members);
  put_little(out, members);
  put_little(out, static_cast<std::uint32_t>(std::min<std::uint64_t>(directory.size, kFull32)));
  put_little(out, static_cast<std::uint32_t>(std::min<std::uint64_t>(directory.offset, kFull32)));
  put_little(out, std::uint16_t{0});  // comment
}

}  // namespace

std::optional<std::size_t> zip_local_gap(Bytes header) noexcept {
  if (!begins_with(header, kLocalSignature, kZipLocalHeader)) return std::nullopt;
  return std::size_t{load<std::uint16_t>(header, 26)} + load<std::uint16_t>(header, 28);
}

std::optional<std::size_t> find_zip_end(Bytes tail) noexcept {
  if (tail.size() < kZipEnd) return std::nullopt;
  for (std::size_t at = tail.size() - kZipEnd;; --at) {
    const Bytes end = tail.subspan(at);
    if (load<std::uint32_t>(end, 0) == kEndSignature &&
        load<std::uint16_t>(end, 20) == end.size() - kZipEnd) {
      return at;
    }
    if (at == 0) return std::nullopt;
  }
}

ZipDirectory parse_zip_end(Bytes end) noexcept {
  ZipDirectory directory{.members = load<std::uint16_t>(end, 10),
                         .size = load<std::uint32_t>(end, 12),
                         .offset = load<std::uint32_t>(end, 16)};
  directory.is_in_zip64 =
      directory.members == kFull16 || directory.size == kFull32 || directory.offset == kFull32;
  return directory;
}

std::optional<std::uint64_t> parse_zip64_locator(Bytes locator) noexcept {
  if (!begins_with(locator, kZip64LocatorSignature, kZip64Locator)) return std::nullopt;
  return load<std::uint64_t>(locator, 8);
}

std::optional<ZipDirectory> parse_zip64_end(Bytes end) noexcept {
  if (!begins_with(end, kZip64EndSignature, kZip64End)) return std::nullopt;
  return ZipDirectory{.members = load<std::uint64_t>(end, 32),
                      .size = load<std::uint64_t>(end, 40),
                      .offset = load<std::uint64_t>(end, 48)};
}

std::optional<ZipMember> take_zip_member(Bytes& directory) {
  if (!begins_with(directory, kMemberSignature, kMemberBytes)) return std::nullopt;
  const std::size_t name = load<std::uint16_t>(directory, 28);
  const std::size_t extra = load<std::uint16_t>(directory, 30);
  const std::size_t comment = load<std::uint16_t>(directory, 32);
  if (name + extra + comment > directory.size() - kMemberBytes) return std::nullopt;
  const Bytes name_bytes = directory.subspan(kMemberBytes, name);
  std::uint64_t raw_size = load<std::uint32_t>(directory, 24);
  ZipMember member{.name = {reinterpret_cast<const char*>(name_bytes.data()), name_bytes.size()},
                   .header = load<std::uint32_t>(directory, 42),
                   .size = load<std::uint32_t>(directory, 20),
                   .crc = load<std::uint32_t>(directory, 16),
                   .method = load<std::uint16_t>(directory, 10),
                   .is_encrypted = (load<std::uint16_t>(directory, 8) & kEncrypted) != 0};
  const Bytes extra_field = directory.subspan(kMemberBytes + name, extra);
  if (!read_zip64(extra_field, raw_size, member)) return std::nullopt;
  if (member.method == 0 && !member.is_encrypted && raw_size != member.size) return std::nullopt;
  directory = directory.subspan(kMemberBytes + name + extra + comment);
  return member;
}

std::string format_zip_local_header(const ZipMember& member) {
  std::string header;
  put_little(header, kLocalSignature);
  put_common(header, member, kZipVersion);
  put_little(header, std::uint16_t{0});  // extra field
  return header + member.name;
}

std::string format_zip_directory(const std::vector<ZipMember>& members, std::uint64_t offset) {
  std::string bytes;
  for (const ZipMember& member : members) put_member(bytes, member);
  const ZipDirectory directory{.members = members.size(), .size = bytes.size(), .offset = offset};
  const bool is_large =
      directory.members >= kFull16 || directory.size >= kFull32 || directory.offset >= kFull32;
  if (is_large) put_zip64_end(bytes, directory);
  put_end(bytes, directory);
  return bytes;
}

}  // namespace feedrate
