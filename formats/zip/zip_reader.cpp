// SPDX-License-Identifier: Apache-2.0
// Reads ZIP files whose members are stored, not compressed: a folder in one file.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/crc32c.h"
#include "core/error.h"
#include "formats/class_list.h"
#include "formats/folder/listing.h"
#include "formats/formats.h"
#include "formats/keys.h"
#include "formats/packed_file.h"
#include "formats/payload.h"
#include "formats/zip/zip_layout.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

struct ZipEntry {
  std::string key;
  std::int64_t label;
  std::uint64_t header;
  std::uint64_t size;
  std::uint32_t crc;
  std::uint32_t name_size;
};

class MemberSource {
 public:
  explicit MemberSource(const PackedFile& zip, const ReadOptions& options = {})
      : zip_(zip), reads_(options) {}

  /// Valid until the next call. `record` is the index in the dataset, for messages; empty for other
  /// files.
  Bytes read(const ZipEntry& entry, std::optional<std::uint64_t> record) {
    const std::uint64_t gap = entry.name_size + kCommonExtra;
    Bytes bytes = fetch(entry.header, kZipLocalHeader + gap + entry.size);
    const auto real_gap = zip_local_gap(bytes);
    if (!real_gap) fail(entry, record, "the header of the member is damaged");
    const std::uint64_t begin = kZipLocalHeader + *real_gap;
    if (*real_gap > gap) bytes = fetch(entry.header, begin + entry.size);
    if (bytes.size() < begin + entry.size) {
      fail(entry, record, "the file ends inside the member; it is truncated");
    }
    bytes = bytes.subspan(begin, entry.size);
    if (crc32(bytes) != entry.crc) {
      fail(entry, record, "the checksum of the member is wrong; it is damaged");
    }
    return bytes;
  }

  void expect(const ZipEntry& entry) {
    reads_.expect(zip_, entry.header,
                  kZipLocalHeader + entry.name_size + kCommonExtra + entry.size);
  }
  void ask() { reads_.ask(); }

 private:
  // The length of the local extra field is only in the local header. Packers' usual fields fit
  // here, so that one call reads header and data.
  static constexpr std::uint64_t kCommonExtra = 64;

  [[noreturn]] void fail(const ZipEntry& entry, std::optional<std::uint64_t> record,
                         std::string_view problem) const {
    throw FormatError({.file = zip_.path, .record = record, .offset = entry.header}, problem);
  }

  Bytes fetch(std::uint64_t offset, std::uint64_t size) {
    return reads_.read(zip_, offset, std::min(size, zip_.size - offset));
  }

  const PackedFile& zip_;
  PackedReads reads_;
};

class ZipCursor final : public RecordCursor {
 public:
  ZipCursor(const PackedFile& zip, const std::vector<ZipEntry>& entries, const ReadOptions& options)
      : entries_(entries), source_(zip, options) {}

  Record read(std::size_t index) override {
    const ZipEntry& entry = entries_[index];
    return {.payload = source_.read(entry, index), .label = entry.label, .key = entry.key};
  }

  void expect(std::span<const std::uint64_t> indices) override {
    for (const std::uint64_t index : indices) source_.expect(entries_[index]);
    source_.ask();
  }

 private:
  const std::vector<ZipEntry>& entries_;
  MemberSource source_;
};

// macOS adds such files for its Finder.
bool is_of_finder(std::string_view name) {
  return name.starts_with("__MACOSX/") || name.substr(name.rfind('/') + 1).starts_with("._");
}

/// The files of an archive by name, listed like a folder.
class Contents {
 public:
  Contents(const PackedFile& zip, std::vector<ZipMember> members)
      : zip_(zip), members_(std::move(members)) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const ZipMember& member = members_[i];
      if (is_of_finder(member.name)) continue;
      if (!indices_.emplace(member.name, i).second) {
        fail(member, "the archive has two members of this name");
      }
    }
  }

  FolderListing list() const {
    FolderListing listing =
        indices_.count("labels.csv") > 0
            ? list_labelled(text("labels.csv"), parse_class_list(text("classes.txt")), zip_.path)
            : list_files(folders(), images());
    if (listing.entries.empty()) {
      throw FormatError({.file = zip_.path},
                        "no records: no .jpg, .jpeg or .png among the members");
    }
    return listing;
  }

  ZipEntry entry(FolderEntry& listed) const {
    const auto found = indices_.find(listed.path);
    if (found == indices_.end()) {
      throw FormatError(
          {.file = zip_.path},
          fmt::format("labels.csv lists \"{}\", which is not in the archive", listed.path));
    }
    const ZipMember& member = members_[found->second];
    require_readable(member);
    return {.key = std::move(listed.key),
            .label = listed.label,
            .header = member.header,
            .size = member.size,
            .crc = member.crc,
            .name_size = static_cast<std::uint32_t>(member.name.size())};
  }

 private:
  [[noreturn]] void fail(const ZipMember& member, std::string_view problem) const {
    throw FormatError({.file = zip_.path, .offset = member.header},
                      fmt::format("member \"{}\": {}", member.name, problem));
  }

  void require_readable(const ZipMember& member) const {
    if (!is_safe_relative_path(member.name))
      fail(member, "is rejected; its path must stay inside the archive");
    if (member.is_encrypted) fail(member, "is encrypted; pack it again without a password");
    if (member.method != 0) {
      fail(member, fmt::format("is compressed (method {}), which does not help images; pack it "
                               "again without compression: zip -0 -r",
                               member.method));
    }
    require_plausible_size(member.size, {.file = zip_.path, .offset = member.header});
  }

  /// Empty if there is no such member.
  std::string text(const std::string& name) const {
    const auto found = indices_.find(name);
    if (found == indices_.end()) return {};
    FolderEntry listed{name, {}, kNoLabel};
    MemberSource source(zip_);
    const Bytes bytes = source.read(entry(listed), std::nullopt);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  std::vector<std::string> folders() const {
    std::vector<std::string> names;
    for (const auto& [name, index] : indices_) {
      const std::size_t slash = name.find('/');
      if (slash != std::string::npos) names.push_back(name.substr(0, slash));
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }

  std::vector<std::string> images() const {
    std::vector<std::string> names;
    for (const auto& [name, index] : indices_) {
      if (image_stem(name)) names.push_back(name);
    }
    return names;
  }

  const PackedFile& zip_;
  std::vector<ZipMember> members_;
  std::unordered_map<std::string, std::size_t> indices_;
};

class ZipReader final : public RecordReader {
 public:
  ZipReader(const fs::path& path, const ReadOptions& options)
      : options_(options), zip_(PackedReads().open(path.string())) {
    PackedReads reads;
    const Contents contents(zip_, read_zip_directory(zip_, reads));
    FolderListing listing = contents.list();
    entries_.reserve(listing.entries.size());
    for (FolderEntry& listed : listing.entries) entries_.push_back(contents.entry(listed));
    class_names_ = std::move(listing.class_names);
    layout_ = "stored in a ZIP file, " + listing.layout;
    prepare(zip_, options.order);
  }

  std::string_view format() const noexcept override { return "zip"; }
  std::size_t size() const noexcept override { return entries_.size(); }
  Payload payload() const noexcept override { return Payload::kEncoded; }
  const std::vector<std::string>& class_names() const noexcept override { return class_names_; }
  std::vector<fs::path> files() const override { return {zip_.path}; }

  // Gives no offset: the image's position is known only after its local header is read.
  DataLocation locate(std::size_t index) const override {
    return {.file = zip_.path, .record = index};
  }

  std::string layout() const override { return layout_; }

  std::unique_ptr<RecordCursor> open_cursor() const override {
    return std::make_unique<ZipCursor>(zip_, entries_, options_);
  }

 private:
  ReadOptions options_;
  PackedFile zip_;
  std::vector<ZipEntry> entries_;
  std::vector<std::string> class_names_;
  std::string layout_;
};

}  // namespace

std::unique_ptr<RecordReader> open_zip_reader(const fs::path& path, const ReadOptions& options) {
  return std::make_unique<ZipReader>(path, options);
}

}  // namespace feedrate
