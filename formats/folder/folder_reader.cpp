// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <utility>

#include "formats/folder/folder_kind.h"
#include "formats/packed_file.h"
#include "formats/remote/remote_path.h"

namespace feedrate {
namespace {

// `options.order` has no effect: each file is read whole, by one call.
class FolderCursor final : public RecordCursor {
 public:
  FolderCursor(const FolderKind& kind, const std::string& root, const FolderListing& listing,
               const ReadOptions& options)
      : kind_(kind),
        listing_(listing),
        location_{.file = root + '/'},
        root_length_(location_.file.size()),
        reads_(options) {}

  Record read(std::size_t index) override {
    const FolderEntry& entry = listing_.entries[index];
    set_path(entry);
    location_.record = index;
    Record record = kind_.parse(read_file(), location_);
    record.label = entry.label;
    record.key = entry.key;
    return record;
  }

  // Errors are ignored: read() reports them.
  void expect(std::span<const std::uint64_t> indices) override {
    for (const std::uint64_t index : indices) {
      set_path(listing_.entries[index]);
      reads_.expect_whole(location_.file);
    }
    reads_.ask();
  }

 private:
  void set_path(const FolderEntry& entry) {
    location_.file.resize(root_length_);
    location_.file += entry.path;
  }

  Bytes read_file() {
    const std::optional<Bytes> bytes = reads_.read_whole(location_);
    if (!bytes) throw SystemError(location_.file, "cannot open", ENOENT);
    if (bytes->empty()) throw FormatError(location_, "is empty; must be an image");
    return *bytes;
  }

  const FolderKind& kind_;
  const FolderListing& listing_;
  DataLocation location_;  // of the current record; reuses its memory
  std::size_t root_length_;
  PackedReads reads_;
};

class FolderReader final : public RecordReader {
 public:
  FolderReader(const FolderKind& kind, const std::filesystem::path& path,
               const ReadOptions& options)
      : kind_(kind),
        options_(options),
        root_((path.has_filename() ? path : path.parent_path()).string()),
        listing_(list_folder(path, kind.files)) {}

  std::string_view format() const noexcept override { return kind_.format; }
  std::size_t size() const noexcept override { return listing_.entries.size(); }
  Payload payload() const noexcept override { return kind_.payload; }
  const std::vector<std::string>& class_names() const noexcept override {
    return listing_.class_names;
  }

  std::vector<std::filesystem::path> files() const override {
    std::vector<std::filesystem::path> paths;
    if (is_remote(root_)) return paths;
    paths.reserve(size());
    for (const FolderEntry& entry : listing_.entries) paths.push_back(path_of(entry));
    return paths;
  }

  DataLocation locate(std::size_t index) const override {
    return {.file = path_of(listing_.entries[index]), .record = index};
  }

  std::string layout() const override { return listing_.layout; }
  std::string left_out() const override { return listing_.left_out; }

  std::unique_ptr<RecordCursor> open_cursor() const override {
    return std::make_unique<FolderCursor>(kind_, root_, listing_, options_);
  }

 private:
  std::string path_of(const FolderEntry& entry) const { return root_ + '/' + entry.path; }

  FolderKind kind_;
  ReadOptions options_;
  std::string root_;
  FolderListing listing_;
};

}  // namespace

std::unique_ptr<RecordReader> open_folder_of(const FolderKind& kind,
                                             const std::filesystem::path& path,
                                             const ReadOptions& options) {
  return std::make_unique<FolderReader>(kind, path, options);
}

}  // namespace feedrate
