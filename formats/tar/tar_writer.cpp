// SPDX-License-Identifier: Apache-2.0
// Writes uncompressed tar shards for WebDataset.
#include <fmt/format.h>

#include "core/error.h"
#include "core/host/file.h"
#include "formats/formats.h"
#include "formats/keys.h"
#include "formats/payload.h"
#include "formats/shard_draft.h"
#include "formats/tar/member_name.h"
#include "formats/tar/tar_header.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

std::uint64_t blocks(std::size_t size) { return (size + kTarBlock - 1) / kTarBlock * kTarBlock; }

class TarFile {
 public:
  explicit TarFile(const fs::path& path) : path_(path.string()), fd_(create_file(path_)) {}

  // GNU's format needs an extra entry for a long name only; pax needs one for any non-ASCII name.
  void add(const std::string& name, Bytes bytes) {
    std::string member;
    if (name.size() > kTarName) {
      append(member, "././@LongLink", kLongName,
             std::as_bytes(std::span(name.c_str(), name.size() + 1)));
    }
    append(member, name.substr(0, kTarName), kFile, bytes);
    write(member);
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }

  void close() {
    write(std::string(2 * kTarBlock, '\0'));
    fd_ = UniqueFd();
    sync_path(path_);
  }

 private:
  static constexpr char kFile = '0', kLongName = 'L';

  static void append(std::string& out, std::string_view name, char type, Bytes bytes) {
    out += TarHeader(name, bytes.size(), type).text();
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    out.append(blocks(bytes.size()) - bytes.size(), '\0');
  }

  void write(const std::string& bytes) {
    write_all(fd_.get(), std::as_bytes(std::span(bytes)), path_);
    size_ += bytes.size();
  }

  std::string path_;
  UniqueFd fd_;
  std::uint64_t size_ = 0;
};

class TarWriter final : public RecordWriter {
 public:
  TarWriter(const fs::path& path, const WriterOptions& options)
      : draft_(path, is_tar_name, options) {}

  void append(const Record& record) override {
    const std::string target = draft_.target().string();
    const std::string_view extension = image_extension(record, target);
    keys_.add(record.key, target);
    const std::string stem = checked_stem(record);
    start_shard_if_full(record.payload.size());
    shard_->add(stem + std::string(extension), record.payload);
    if (record.label == kNoLabel) return;
    const std::string label = std::to_string(record.label);
    shard_->add(stem + ".cls", std::as_bytes(std::span(label)));
  }

  void finish() override {
    if (!shard_) throw FormatError({.file = draft_.target().string()}, "no records were written");
    shard_->close();
    draft_.publish();
  }

 private:
  std::string checked_stem(const Record& record) const {
    std::string stem = stem_of_key(record.key);
    const std::string name = stem + ".jpg";
    const auto split = split_member_name(name);
    if (!split || split->stem != stem || stem.find('\0') != std::string::npos) {
      throw FormatError(
          {.file = draft_.target().string()},
          fmt::format("key \"{}\" cannot be the name of a WebDataset member", record.key));
    }
    return stem;
  }

  void start_shard_if_full(std::size_t payload) {
    const std::uint64_t needed = 2 * kTarBlock + blocks(payload) + kTarBlock;
    if (shard_ && draft_.fits(shard_->size(), needed)) return;
    if (shard_) shard_->close();
    const std::string name = draft_.target().filename().string();
    shard_.emplace(draft_.shard(fmt::format("{}-{:06}.tar", name, shards_++)));
  }

  ShardDraft draft_;
  WrittenKeys keys_;
  std::optional<TarFile> shard_;
  std::size_t shards_ = 0;
};

}  // namespace

std::unique_ptr<RecordWriter> create_tar_writer(const fs::path& path,
                                                const WriterOptions& options) {
  return std::make_unique<TarWriter>(path, options);
}

}  // namespace feedrate
