// SPDX-License-Identifier: Apache-2.0
#include "formats/tar/tar_walk.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "core/error.h"
#include "formats/tar/tar_header.h"

namespace feedrate {
namespace {

/// Limit for a long name or pax records: far above any path, far below memory.
constexpr std::uint64_t kMaxExtensionBytes = 1U << 20;

struct Compression {
  std::string_view magic;
  std::string_view name;
  std::string_view command;
};

constexpr std::array<Compression, 4> kCompressions{{
    {"\x1F\x8B", "gzip", "gunzip"},
    {"\x28\xB5\x2F\xFD", "zstd", "zstd -d"},
    {"BZh", "bzip2", "bunzip2"},
    {"\xFD"
     "7zXZ",
     "xz", "unxz"},
}};

void refuse_compression(std::string_view start, const std::string& path) {
  for (const Compression& compression : kCompressions) {
    if (!start.starts_with(compression.magic)) continue;
    throw FormatError(
        {.file = path},
        fmt::format("is compressed with {}, which prevents random access; decompress it: {} {}",
                    compression.name, compression.command, path));
  }
}

class TarWalk {
 public:
  TarWalk(const PackedFile& file, PackedReads& reads) : file_(file), reads_(reads) {}

  /// Returns whether there is an end mark.
  bool run(const std::function<void(const TarMember&)>& visit) {
    while (read_header()) {
      const std::uint64_t size = announced_size();
      switch (header_.type()) {
        case 'L':
          long_name_ = extension(size);
          break;
        case 'x':
          pax_ = parsed_pax(extension(size));
          break;
        case 'K':  // the target of a link
        case 'g':  // comments and defaults for all members
        case 'X':  // Solaris' extended header
          skip(size);
          break;
        default:
          visit(member(size));
      }
    }
    return has_end_mark_;
  }

 private:
  [[noreturn]] void fail(std::uint64_t offset, std::string_view problem) const {
    throw FormatError({.file = file_.path, .offset = offset}, problem);
  }

  // Returns false at the end.
  bool read_header() {
    at_ = next_;
    const Bytes block = reads_.read(file_, at_, kTarBlock);
    const std::size_t count = block.size();
    std::copy(block.begin(), block.end(), reinterpret_cast<std::byte*>(header_.data()));
    if (at_ == 0) refuse_compression({header_.data(), count}, file_.path);
    if (count == 0 && at_ > 0) return false;
    if (count < kTarBlock) fail(at_, "the file ends inside a tar header; it is truncated");
    has_end_mark_ = header_.is_zero();
    if (has_end_mark_) return false;
    if (!header_.checksum_matches()) {
      fail(at_, at_ == 0 ? "is not a tar file" : "the checksum of a tar header is wrong");
    }
    next_ = at_ + kTarBlock;
    return true;
  }

  std::uint64_t announced_size() const {
    const auto size = header_.size();
    if (!size) fail(at_, "the size in a tar header is not a number");
    return *size;
  }

  void skip(std::uint64_t size) {
    if (next_ > file_.size || size > file_.size - next_) {
      fail(at_, fmt::format("a member of {} bytes does not fit in the file of {} bytes; it is "
                            "truncated",
                            size, file_.size));
    }
    next_ += (size + kTarBlock - 1) / kTarBlock * kTarBlock;
  }

  std::string extension(std::uint64_t size) {
    if (size > kMaxExtensionBytes)
      fail(at_, fmt::format("a name of {} bytes; must have at most {}", size, kMaxExtensionBytes));
    const std::uint64_t data = next_;
    skip(size);
    const Bytes text = reads_.read(file_, data, size);
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }

  PaxRecords parsed_pax(const std::string& text) const {
    auto records = parse_pax(text);
    if (!records) fail(at_, "malformed pax records");
    return *std::move(records);
  }

  TarMember member(std::uint64_t size) {
    const char type = header_.type();
    if (type == 'S' || pax_.sparse) {
      fail(at_, "a sparse member; pack the archive again without --sparse");
    }
    TarMember member{.name = pax_.path    ? *pax_.path
                             : long_name_ ? long_name_->substr(0, long_name_->find('\0'))
                                          : header_.name(),
                     .header = at_,
                     .data = next_,
                     .size = pax_.size.value_or(size),
                     .is_file = type == '0' || type == '\0' || type == '7'};
    const bool is_bodiless = type >= '1' && type <= '6';  // links, devices, folders
    if (!is_bodiless) skip(member.size);
    long_name_.reset();
    pax_ = {};
    return member;
  }

  const PackedFile& file_;
  PackedReads& reads_;
  std::uint64_t at_ = 0;    // offset of the current header
  std::uint64_t next_ = 0;  // offset of the next read
  TarHeader header_;
  bool has_end_mark_ = false;
  std::optional<std::string> long_name_;
  PaxRecords pax_;
};

}  // namespace

bool walk_tar(const PackedFile& file, PackedReads& reads,
              const std::function<void(const TarMember&)>& visit) {
  return TarWalk(file, reads).run(visit);
}

}  // namespace feedrate
