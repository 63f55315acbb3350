// SPDX-License-Identifier: Apache-2.0
#include "formats/zip/zip_directory.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {
namespace {

[[noreturn]] void fail_in_directory(const std::string& path, std::uint64_t offset,
                                    std::string_view problem) {
  throw FormatError({.file = path, .offset = offset}, problem);
}

/// Finds the central directory of one file.
class Ends {
 public:
  Ends(const PackedFile& file, PackedReads& reads) : file_(file), path_(file.path), reads_(reads) {}

  ZipDirectoryPlace place() const {
    const std::uint64_t tail_size = std::min<std::uint64_t>(file_.size, kZipEnd + kZipMaxComment);
    const Bytes tail = reads_.read(file_, file_.size - tail_size, tail_size);
    const std::optional<std::size_t> at = find_zip_end(tail);
    if (!at)
      fail_in_directory(path_, file_.size,
                        "no ZIP directory at its end: it is truncated, or not a ZIP file");
    const std::uint64_t end = file_.size - tail_size + *at;
    const ZipDirectoryPlace place = parse_zip_end(tail.subspan(*at));
    const auto zip64 = place.is_in_zip64 ? in_zip64(end) : std::nullopt;
    return zip64 ? *zip64 : checked(place, end);
  }

 private:
  // Empty where there is none: 65535 members, for one, need no ZIP64.
  std::optional<ZipDirectoryPlace> in_zip64(std::uint64_t end) const {
    if (end < kZip64Locator) return std::nullopt;
    const auto at = parse_zip64_locator(reads_.read(file_, end - kZip64Locator, kZip64Locator));
    if (!at) return std::nullopt;
    const std::uint64_t locator = end - kZip64Locator;
    if (*at > locator || locator - *at < kZip64End) {
      fail_in_directory(path_, locator, "the position of the ZIP64 directory is outside the file");
    }
    const auto place = parse_zip64_end(reads_.read(file_, *at, kZip64End));
    if (!place) fail_in_directory(path_, *at, "the end of the ZIP64 directory is damaged");
    return checked(*place, *at);
  }

  ZipDirectoryPlace checked(const ZipDirectoryPlace& place, std::uint64_t end) const {
    if (place.offset > end || place.size != end - place.offset) {
      fail_in_directory(
          path_, end,
          fmt::format("the directory of {} bytes at byte {} does not end where its end "
                      "record begins; the file is truncated, split, or preceded by "
                      "something else",
                      place.size, place.offset));
    }
    return place;
  }

  const PackedFile& file_;
  const std::string& path_;
  PackedReads& reads_;
};

}  // namespace

std::vector<ZipMember> read_zip_directory(const PackedFile& file, PackedReads& reads) {
  const std::string& path = file.path;
  const ZipDirectoryPlace place = Ends(file, reads).place();
  Bytes rest = reads.read(file, place.offset, place.size);  // which lies within the file
  std::vector<ZipMember> members;
  while (!rest.empty()) {
    const std::uint64_t at = place.offset + place.size - rest.size();
    auto member = take_zip_member(rest);
    if (!member) fail_in_directory(path, at, "an entry of the ZIP directory is damaged");
    if (member->header > place.offset || member->size > place.offset - member->header) {
      fail_in_directory(path, at,
                        fmt::format("member \"{}\" of {} bytes at byte {} is not within the file",
                                    member->name, member->size, member->header));
    }
    members.push_back(*std::move(member));
  }
  if (members.size() != place.members) {
    fail_in_directory(path, place.offset,
                      fmt::format("the ZIP directory has {} members, but says {}", members.size(),
                                  place.members));
  }
  return members;
}

}  // namespace feedrate
