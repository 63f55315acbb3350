// SPDX-License-Identifier: Apache-2.0
#include "formats/npy/npy_writer.h"

#include <span>
#include <string>

#include "formats/folder/folder_files.h"
#include "formats/npy/npy_header.h"
#include "formats/payload.h"

namespace feedrate {
namespace {

class NpyWriter final : public RecordWriter {
 public:
  NpyWriter(const std::filesystem::path& path, const WriterOptions& options)
      : files_(path, options) {}

  void append(const Record& record) override {
    require_payload(record, Payload::kPixels, files_.target());
    content_ = format_npy_header(record.shape);
    content_.append(reinterpret_cast<const char*>(record.payload.data()), record.payload.size());
    files_.add(record, ".npy", std::as_bytes(std::span(content_)));
  }

  void finish() override { files_.finish(); }

 private:
  FolderFiles files_;
  std::string content_;
};

}  // namespace

std::unique_ptr<RecordWriter> create_npy_writer(const std::filesystem::path& path,
                                                const WriterOptions& options) {
  return std::make_unique<NpyWriter>(path, options);
}

}  // namespace feedrate
