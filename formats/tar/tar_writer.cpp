#include "formats/tar/tar_writer.h"

#include <cerrno>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include "core/error.h"
#include "formats/file.h"
#include "formats/keys.h"
#include "formats/payload.h"
#include "formats/shard_draft.h"
#include "formats/tar/member_name.h"
#include "formats/tar/tar_header.h"
#include "formats/tar/tar_reader.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

/// One tar file that is being written.
class TarFile {
 public:
  explicit TarFile(const fs::path& path)
      : path_(path.string()), archive_(archive_write_new()), entry_(archive_entry_new()) {
    if (!archive_ || !entry_) throw SystemError(path_, "cannot create", ENOMEM);
    // GNU's format is ustar until a name is long, and takes names as bytes, whatever the locale;
    // pax would add two blocks to every member to say so.
    check(archive_write_set_format_gnutar(archive_.get()));
    check(archive_write_set_bytes_in_last_block(archive_.get(), static_cast<int>(kTarBlock)));
    check(archive_write_open_filename(archive_.get(), path_.c_str()));
  }

  // Owner, mode and time are the same everywhere, so the same records give the same bytes.
  void add(const std::string& name, Bytes bytes) {
    archive_entry_clear(entry_.get());
    archive_entry_set_pathname(entry_.get(), name.c_str());
    archive_entry_set_filetype(entry_.get(), AE_IFREG);
    archive_entry_set_perm(entry_.get(), 0644);
    archive_entry_set_size(entry_.get(), static_cast<la_int64_t>(bytes.size()));
    archive_entry_set_mtime(entry_.get(), 0, 0);
    check(archive_write_header(archive_.get(), entry_.get()));
    const la_ssize_t count = archive_write_data(archive_.get(), bytes.data(), bytes.size());
    if (count < 0 || static_cast<std::size_t>(count) != bytes.size()) check(ARCHIVE_FATAL);
    check(archive_write_finish_entry(archive_.get()));
  }

  [[nodiscard]] std::uint64_t size() const {
    return static_cast<std::uint64_t>(archive_filter_bytes(archive_.get(), -1));
  }

  void close() {
    check(archive_write_close(archive_.get()));
    sync_path(path_);
  }

 private:
  struct FreeArchive {
    void operator()(archive* a) const { archive_write_free(a); }
  };
  struct FreeEntry {
    void operator()(archive_entry* e) const { archive_entry_free(e); }
  };

  void check(int result) const {
    if (result == ARCHIVE_OK) return;
    const int error = archive_errno(archive_.get());
    if (error > 0 && error < kFirstArchiveError) throw SystemError(path_, "cannot write", error);
    const char* text = archive_error_string(archive_.get());
    throw FormatError({.file = path_}, text != nullptr ? text : "cannot be written");
  }

  // ARCHIVE_ERRNO_MISC is negative where errno is; no errno of Linux is this large.
  static constexpr int kFirstArchiveError = 4096;

  std::string path_;
  std::unique_ptr<archive, FreeArchive> archive_;
  std::unique_ptr<archive_entry, FreeEntry> entry_;
};

std::uint64_t blocks(std::size_t size) { return (size + kTarBlock - 1) / kTarBlock * kTarBlock; }

class TarWriter final : public RecordWriter {
 public:
  TarWriter(const fs::path& path, const WriterOptions& options)
      : draft_(path, is_tar_name, options) {}

  void append(const Record& record) override {
    const std::string target = draft_.target().string();
    require_payload(record, Payload::kEncoded, target);
    keys_.add(record.key, target);
    const std::string stem = checked_stem(record);
    const std::string_view extension = extension_for(record.payload);
    if (extension.empty()) {
      throw FormatError({.file = target},
                        fmt::format("record \"{}\" is neither JPEG nor PNG", record.key));
    }
    make_room(record.payload.size());
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
          fmt::format("key \"{}\" cannot be the name of a member that WebDataset reads",
                      record.key));
    }
    return stem;
  }

  void make_room(std::size_t payload) {
    const std::uint64_t needed = 2 * kTarBlock + blocks(payload) + kTarBlock;
    if (shard_ && draft_.has_room(shard_->size(), needed)) return;
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
