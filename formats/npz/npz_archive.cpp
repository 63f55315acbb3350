// SPDX-License-Identifier: Apache-2.0
#include "formats/npz/npz_archive.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/crc32c.h"
#include "formats/npy/npy_header.h"
#include "formats/zip/zip_layout.h"

namespace feedrate {
namespace {

constexpr std::string_view kRecordName = "x.npy";
constexpr std::string_view kLabelName = "y.npy";

/// The central directory. Does not support ZIP64, since no file of a record is that large.
Bytes directory_of(Bytes file, const DataLocation& location) {
  const std::size_t tail_size = std::min(file.size(), kZipEnd + kZipMaxComment);
  const Bytes tail = file.last(tail_size);
  const std::optional<std::size_t> at = find_zip_end(tail);
  if (!at) {
    throw FormatError(location,
                      "no ZIP directory at its end: it is truncated, or not an .npz file");
  }
  const std::size_t end = file.size() - tail_size + *at;
  const ZipDirectory directory = parse_zip_end(tail.subspan(*at));
  if (directory.offset > end || directory.size != end - directory.offset) {
    throw FormatError(location, "its ZIP directory does not end where the end record begins");
  }
  return file.subspan(directory.offset, directory.size);
}

std::optional<ZipMember> find_record(Bytes directory, const DataLocation& location) {
  std::optional<ZipMember> first;
  while (!directory.empty()) {
    std::optional<ZipMember> member = take_zip_member(directory);
    if (!member) throw FormatError(location, "an entry of the ZIP directory is damaged");
    if (member->name == kRecordName) return member;
    if (!first && member->name.ends_with(".npy")) first = std::move(member);
  }
  return first;
}

Bytes content_of(const ZipMember& member, Bytes file, const DataLocation& location) {
  if (member.method != 0 || member.is_encrypted) {
    throw FormatError(
        location,
        "its array is compressed or encrypted; write it with numpy.savez, not savez_compressed");
  }
  if (member.header > file.size()) {
    throw FormatError(location, "its array is not within the file");
  }
  const Bytes rest = file.subspan(member.header);
  const std::optional<std::size_t> gap = zip_local_gap(rest);
  if (!gap) throw FormatError(location, "the header of its array is damaged");
  const std::size_t begin = kZipLocalHeader + *gap;
  if (begin > rest.size() || member.size > rest.size() - begin) {
    throw FormatError(location, "its array is not within the file");
  }
  const Bytes content = rest.subspan(begin, member.size);
  if (crc32(content) != member.crc) {
    throw FormatError(location, "the checksum of its array is wrong; it is damaged");
  }
  return content;
}

class Archive {
 public:
  void add(std::string_view name, std::string_view descr, std::size_t length, Bytes numbers) {
    std::string array = format_npy_header(descr, length);
    array.append(reinterpret_cast<const char*>(numbers.data()), numbers.size());
    ZipMember member{.name = std::string(name),
                     .header = bytes_.size(),
                     .size = array.size(),
                     .crc = crc32(std::as_bytes(std::span(array)))};
    bytes_ += format_zip_local_header(member);
    bytes_ += array;
    members_.push_back(std::move(member));
  }

  std::string finish() && {
    bytes_ += format_zip_directory(members_, bytes_.size());
    return std::move(bytes_);
  }

 private:
  std::string bytes_;
  std::vector<ZipMember> members_;
};

}  // namespace

Bytes npz_array(Bytes file, const DataLocation& location) {
  const std::optional<ZipMember> member = find_record(directory_of(file, location), location);
  if (!member) throw FormatError(location, "has no array; write it with numpy.savez(x=…)");
  const Bytes array = content_of(*member, file, location);
  return array.subspan(npy_data_offset(array, location));
}

std::string format_npz(Bytes bytes, std::int64_t label) {
  static_assert(std::endian::native == std::endian::little);
  Archive archive;
  archive.add(kRecordName, "|u1", bytes.size(), bytes);
  archive.add(kLabelName, "<i8", 1, std::as_bytes(std::span(&label, 1)));
  return std::move(archive).finish();
}

}  // namespace feedrate
