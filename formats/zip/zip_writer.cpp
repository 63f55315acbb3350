// SPDX-License-Identifier: Apache-2.0
// Writes a ZIP file of stored images, as `zip -0 -r` makes one of a folder.
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/crc32c.h"
#include "core/error.h"
#include "core/host/file.h"
#include "formats/class_list.h"
#include "formats/folder/arrangement.h"
#include "formats/formats.h"
#include "formats/payload.h"
#include "formats/staging.h"
#include "formats/zip/zip_layout.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

Bytes bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

class ZipWriter final : public RecordWriter {
 public:
  ZipWriter(const fs::path& path, const WriterOptions& options)
      : staging_(path),
        draft_(staging_.draft().string()),
        file_(create_file(draft_)),
        arrangement_(options.class_names, staging_.target().string()) {}

  void append(const Record& record) override {
    const std::string target = staging_.target().string();
    const std::string_view extension = image_extension(record, target);
    if (record.key.size() > kLongestName - extension.size()) {
      throw FormatError({.file = target},
                        fmt::format("a key of {} bytes; names in a ZIP file have at most {}",
                                    record.key.size(), kLongestName));
    }
    add(arrangement_.place(record, extension), record.payload);
  }

  void finish() override {
    arrangement_.require_some();
    if (arrangement_.in_class_folders()) {
      for (const std::string& name : arrangement_.class_names()) add(name + '/', {});
    }
    if (arrangement_.needs_labels()) {
      add("labels.csv", bytes_of(arrangement_.labels_csv()));
      const std::string names =
          format_class_list(arrangement_.class_names(), staging_.target().string());
      if (!names.empty()) add("classes.txt", bytes_of(names));
    }
    write(bytes_of(format_zip_directory(members_, size_)));
    file_ = UniqueFd();
    sync_path(draft_);
    staging_.publish();
  }

 private:
  static constexpr std::size_t kLongestName = std::numeric_limits<std::uint16_t>::max();

  void add(std::string name, Bytes bytes) {
    ZipMember member{
        .name = std::move(name), .header = size_, .size = bytes.size(), .crc = crc32(bytes)};
    if (bytes.size() > kMaxRecordBytes) {
      throw FormatError({.file = draft_}, fmt::format("\"{}\" has {} bytes; at most {} fit",
                                                      member.name, bytes.size(), kMaxRecordBytes));
    }
    write(bytes_of(format_zip_local_header(member)));
    write(bytes);
    members_.push_back(std::move(member));
  }

  void write(Bytes bytes) {
    write_all(file_.get(), bytes, draft_);
    size_ += bytes.size();
  }

  Staging staging_;
  std::string draft_;
  UniqueFd file_;
  FolderArrangement arrangement_;
  std::vector<ZipMember> members_;
  std::uint64_t size_ = 0;
};

}  // namespace

std::unique_ptr<RecordWriter> create_zip_writer(const fs::path& path,
                                                const WriterOptions& options) {
  return std::make_unique<ZipWriter>(path, options);
}

}  // namespace feedrate
