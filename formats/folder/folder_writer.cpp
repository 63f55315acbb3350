// SPDX-License-Identifier: Apache-2.0
#include "formats/folder/folder_writer.h"

#include <fmt/format.h>

#include "core/error.h"
#include "formats/folder/folder_files.h"
#include "formats/payload.h"

namespace feedrate {
namespace {

class FolderWriter final : public RecordWriter {
 public:
  FolderWriter(const std::filesystem::path& path, const WriterOptions& options)
      : files_(path, options) {}

  void append(const Record& record) override {
    require_payload(record, Payload::kEncoded, files_.target());
    const std::string_view extension = extension_for(record.payload);
    if (extension.empty()) {
      throw FormatError({.file = files_.target()},
                        fmt::format("record \"{}\" is neither JPEG nor PNG", record.key));
    }
    files_.add(record, extension, record.payload);
  }

  void finish() override { files_.finish(); }

 private:
  FolderFiles files_;
};

}  // namespace

std::unique_ptr<RecordWriter> create_folder_writer(const std::filesystem::path& path,
                                                   const WriterOptions& options) {
  return std::make_unique<FolderWriter>(path, options);
}

}  // namespace feedrate
