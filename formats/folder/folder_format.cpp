// SPDX-License-Identifier: Apache-2.0
// Image files: one folder per class as in torchvision's ImageFolder, a flat folder with labels.csv,
// or a flat folder without labels. See docs/formats.md.
#include "formats/folder/folder_kind.h"
#include "formats/payload.h"

namespace feedrate {
namespace {

Record parse_image(Bytes file, const DataLocation& /*location*/) {
  return {.payload = file, .key = {}};
}

RecordFile image_file(const Record& record, const std::string& target, std::string& /*memory*/) {
  return {image_extension(record, target), record.payload};
}

constexpr FolderKind kImageFolder{.format = "folder",
                                  .payload = Payload::kEncoded,
                                  .files = kImageFiles,
                                  .parse = parse_image,
                                  .file_of = image_file};

}  // namespace

std::unique_ptr<RecordReader> open_folder_reader(const std::filesystem::path& path,
                                                 const ReadOptions& options) {
  return open_folder_of(kImageFolder, path, options);
}

std::unique_ptr<RecordWriter> create_folder_writer(const std::filesystem::path& path,
                                                   const WriterOptions& options) {
  return create_folder_of(kImageFolder, path, options);
}

}  // namespace feedrate
