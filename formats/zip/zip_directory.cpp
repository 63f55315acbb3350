// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/error.h"
#include "formats/zip/zip_layout.h"

namespace feedrate {
namespace {

[[noreturn]] void fail_in_directory(const std::string& path, std::uint64_t offset,
                                    std::string_view problem) {
  throw FormatError({.file = path, .offset = offset}, problem);
}

class DirectoryFinder {
 public:
  DirectoryFinder(const PackedFile& file, PackedReads& reads)
      : file_(file), path_(file.path), reads_(reads) {}

  ZipDirectory find() const {
    const std::uint64_t tail_size = std::min<std::uint64_t>(file_.size, kZipEnd + kZipMaxComment);
    const Bytes tail = reads_.read(file_, file_.size - tail_size, tail_size);
    const std::optional<std::size_t> at = find_zip_end(tail);
    if (!at)
      fail_in_directory(path_, file_.size,
                        "no ZIP directory at its end: it is truncated, or not a ZIP file");
    const std::uint64_t end = file_.size - tail_size + *at;
    const ZipDirectory directory = parse_zip_end(tail.subspan(*at));
    const auto zip64 = directory.is_in_zip64 ? in_zip64(end) : std::nullopt;
    return zip64 ? *zip64 : checked(directory, end);
  }

 private:
  // Empty if there is no ZIP64 record: exactly 65535 members, for example, need none.
  std::optional<ZipDirectory> in_zip64(std::uint64_t end) const {
    if (end < kZip64Locator) return std::nullopt;
    const auto at = parse_zip64_locator(reads_.read(file_, end - kZip64Locator, kZip64Locator));
    if (!at) return std::nullopt;
    const std::uint64_t locator = end - kZip64Locator;
    if (*at > locator || locator - *at < kZip64End) {
      fail_in_directory(path_, locator, "the position of the ZIP64 directory is outside the file");
    }
    const auto directory = parse_zip64_end(reads_.read(file_, *at, kZip64End));
    if (!directory) fail_in_directory(path_, *at, "the end of the ZIP64 directory is damaged");
    return checked(*directory, *at);
  }

  ZipDirectory checked(const ZipDirectory& directory, std::uint64_t end) const {
    if (directory.offset > end || directory.size != end - directory.offset) {
      fail_in_directory(
          path_, end,
          fmt::format("the directory of {} bytes at byte {} does not end where its end "
                      "record begins; the file is truncated, split, or preceded by "
                      "something else",
                      directory.size, directory.offset));
    }
    return directory;
  }

  const PackedFile& file_;
  const std::string& path_;
  PackedReads& reads_;
};

}  // namespace

std::vector<ZipMember> read_zip_directory(const PackedFile& file, PackedReads& reads) {
  const std::string& path = file.path;
  const ZipDirectory directory = DirectoryFinder(file, reads).find();
  Bytes rest = reads.read(file, directory.offset, directory.size);
  std::vector<ZipMember> members;
  while (!rest.empty()) {
    const std::uint64_t at = directory.offset + directory.size - rest.size();
    auto member = take_zip_member(rest);
    if (!member) fail_in_directory(path, at, "an entry of the ZIP directory is damaged");
    if (member->header > directory.offset || member->size > directory.offset - member->header) {
      fail_in_directory(path, at,
                        fmt::format("member \"{}\" of {} bytes at byte {} is not within the file",
                                    member->name, member->size, member->header));
    }
    members.push_back(*std::move(member));
  }
  if (members.size() != directory.members) {
    fail_in_directory(path, directory.offset,
                      fmt::format("the ZIP directory has {} members, but its end record says {}",
                                  members.size(), directory.members));
  }
  return members;
}

}  // namespace feedrate
