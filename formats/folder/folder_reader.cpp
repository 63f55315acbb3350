#include "formats/folder/folder_reader.h"

#include <utility>

#include "formats/file.h"
#include "formats/folder/listing.h"
#include "formats/payload.h"

namespace feedrate {
namespace {

class FolderCursor final : public RecordCursor {
 public:
  FolderCursor(const std::string& root, const FolderListing& listing)
      : listing_(listing), path_(root + '/'), root_length_(path_.size()) {}

  Record read(std::size_t index) override {
    const FolderEntry& entry = listing_.entries[index];
    path_.resize(root_length_);
    path_ += entry.path;
    return {.payload = read_file(index), .label = entry.label, .key = entry.key};
  }

 private:
  Bytes read_file(std::size_t index) {
    const OpenFile file = open_regular_file(path_);
    const DataLocation location{.file = path_, .record = index};
    if (file.size == 0) throw FormatError(location, "is empty; an image would be right");
    require_plausible_size(file.size, location);
    const MutableBytes bytes = buffer_.take(file.size);
    return bytes.first(read_at(file.fd.get(), bytes, 0, path_));
  }

  const FolderListing& listing_;
  std::string path_;
  std::size_t root_length_;
  ReadBuffer buffer_;
};

class FolderReader final : public RecordReader {
 public:
  explicit FolderReader(const std::filesystem::path& path)
      : root_(path.string()), listing_(list_folder(path)) {}

  std::string_view format() const noexcept override { return "folder"; }
  std::size_t size() const noexcept override { return listing_.entries.size(); }
  Payload payload() const noexcept override { return Payload::kEncoded; }
  const std::vector<std::string>& class_names() const noexcept override {
    return listing_.class_names;
  }

  std::vector<std::filesystem::path> files() const override {
    std::vector<std::filesystem::path> paths;
    paths.reserve(size());
    for (const FolderEntry& entry : listing_.entries) paths.push_back(path_of(entry));
    return paths;
  }

  DataLocation locate(std::size_t index) const override {
    return {.file = path_of(listing_.entries[index]), .record = index};
  }

  std::string layout() const override { return listing_.layout; }

  std::unique_ptr<RecordCursor> open_cursor() const override {
    return std::make_unique<FolderCursor>(root_, listing_);
  }

 private:
  std::string path_of(const FolderEntry& entry) const { return root_ + '/' + entry.path; }

  std::string root_;
  FolderListing listing_;
};

}  // namespace

std::unique_ptr<RecordReader> open_folder_reader(const std::filesystem::path& path) {
  return std::make_unique<FolderReader>(path);
}

}  // namespace feedrate
