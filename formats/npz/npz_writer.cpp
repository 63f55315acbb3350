// SPDX-License-Identifier: Apache-2.0
#include "formats/npz/npz_writer.h"

#include <span>
#include <string>

#include "formats/folder/folder_files.h"
#include "formats/npz/npz_archive.h"
#include "formats/payload.h"

namespace feedrate {
namespace {

class NpzWriter final : public RecordWriter {
 public:
  NpzWriter(const std::filesystem::path& path, const WriterOptions& options)
      : files_(path, options) {}

  void append(const Record& record) override {
    require_payload(record, Payload::kBytes, files_.target());
    const std::string content = format_npz(record.payload, record.label);
    files_.add(record, ".npz", std::as_bytes(std::span(content)));
  }

  void finish() override { files_.finish(); }

 private:
  FolderFiles files_;
};

}  // namespace

std::unique_ptr<RecordWriter> create_npz_writer(const std::filesystem::path& path,
                                                const WriterOptions& options) {
  return std::make_unique<NpzWriter>(path, options);
}

}  // namespace feedrate
