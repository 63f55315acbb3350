#include "formats/tfrecord/tfrecord_writer.h"

#include <limits>
#include <system_error>

#include <fmt/format.h>

#include "core/error.h"
#include "formats/class_list.h"
#include "formats/file.h"
#include "formats/keys.h"
#include "formats/payload.h"
#include "formats/shards.h"
#include "formats/staging.h"
#include "formats/tfrecord/example.h"
#include "formats/tfrecord/frame.h"
#include "formats/tfrecord/tfrecord_reader.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

class TfrecordWriter final : public RecordWriter {
 public:
  TfrecordWriter(const fs::path& path, const WriterOptions& options)
      : staging_(path),
        is_single_(is_tfrecord_name(staging_.target())),
        shard_bytes_(is_single_ ? std::numeric_limits<std::uint64_t>::max() : options.shard_bytes),
        class_names_(options.class_names) {
    if (is_single_) {
      if (!class_names_.empty()) require_absent(staging_.target().string() + kClassListSuffix);
      return;
    }
    std::error_code error;
    fs::create_directory(staging_.draft(), error);
    if (error) throw SystemError(staging_.draft().string(), "cannot create folder", error.value());
  }

  void append(const Record& record) override {
    const std::string target = staging_.target().string();
    require_payload(record, Payload::kEncoded, target);
    keys_.add(record.key, target);
    if (extension_for(record.payload).empty()) {
      throw FormatError({.file = target},
                        fmt::format("record \"{}\" is neither JPEG nor PNG", record.key));
    }
    const std::string frame = format_frame(format_example(record, class_name(record.label)));
    make_room(frame.size());
    write_all(shard_.get(), std::as_bytes(std::span(frame)), shard_path_.string());
    shard_size_ += frame.size();
  }

  void finish() override {
    if (shards_ == 0) {
      throw FormatError({.file = staging_.target().string()}, "no records were written");
    }
    close_shard();
    if (is_single_) {
      write_class_list(staging_.draft(kClassListSuffix), class_names_);
      if (!class_names_.empty()) staging_.publish(kClassListSuffix);
    } else {
      name_shards();
      write_class_list(staging_.draft() / "classes.txt", class_names_);
      sync_filesystem(staging_.draft());
    }
    staging_.publish();
  }

 private:
  std::string_view class_name(std::int64_t label) const {
    const auto index = static_cast<std::size_t>(label);
    return label >= 0 && index < class_names_.size() ? class_names_[index] : std::string_view();
  }

  void make_room(std::size_t needed) {
    const bool fits = shard_size_ + needed <= shard_bytes_;
    if (shards_ > 0 && (fits || is_single_)) return;
    close_shard();
    shard_path_ = is_single_ ? staging_.draft() : draft_of(shards_);
    shard_ = create_file(shard_path_.string());
    shard_size_ = 0;
    ++shards_;
  }

  void close_shard() {
    if (shards_ == 0) return;
    shard_ = UniqueFd();
    sync_path(shard_path_);
  }

  fs::path draft_of(std::size_t shard) const {
    return staging_.draft() / fmt::format("{}.part", shard);
  }

  // TensorFlow's names tell how many there are, which is known only now.
  void name_shards() const {
    const std::string name = staging_.target().filename().string();
    for (std::size_t i = 0; i < shards_; ++i) {
      const fs::path path =
          staging_.draft() / fmt::format("{}-{:05}-of-{:05}.tfrecord", name, i, shards_);
      std::error_code error;
      fs::rename(draft_of(i), path, error);
      if (error) throw SystemError(path.string(), "cannot move into place", error.value());
    }
  }

  Staging staging_;
  bool is_single_;
  std::uint64_t shard_bytes_;
  std::vector<std::string> class_names_;
  WrittenKeys keys_;
  fs::path shard_path_;
  UniqueFd shard_;
  std::uint64_t shard_size_ = 0;
  std::size_t shards_ = 0;
};

}  // namespace

std::unique_ptr<RecordWriter> create_tfrecord_writer(const fs::path& path,
                                                     const WriterOptions& options) {
  return std::make_unique<TfrecordWriter>(path, options);
}

}  // namespace feedrate
