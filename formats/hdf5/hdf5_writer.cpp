// SPDX-License-Identifier: Apache-2.0
// Writes HDF5 files of images: encoded, or as chunked or contiguous pixels.
#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <hdf5.h>

#include "core/error.h"
#include "core/host/file.h"
#include "formats/formats.h"
#include "formats/hdf5/hdf5_call.h"
#include "formats/hdf5/hdf5_values.h"
#include "formats/keys.h"
#include "formats/one_shape.h"
#include "formats/payload.h"
#include "formats/staging.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

/// References to variable-length values per chunk; each has 16 bytes.
constexpr hsize_t kReferenceChunk = 1024;
/// HDF5 stores the size of a chunk in 32 bits.
constexpr std::uint64_t kMaxChunkBytes = 0xFFFFFFFF;

Hdf5Handle create_hdf5_file(const std::string& path) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  check_hdf5_write(access.get(), path, "cannot create");
  // The file format of HDF5 1.8 allows attributes above 64 KiB, for thousands of class names.
  check_hdf5_write(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_LATEST), path,
                   "cannot create");
  Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access.get()), H5Fclose);
  check_hdf5_write(file.get(), path, "cannot create");
  return file;
}

/// Writes the dataset "images", which grows along its first dimension.
class GrowingImages {
 public:
  /// `shape` is one element's; `chunk` is 0 for contiguous data of `records` elements.
  GrowingImages(hid_t file, const Hdf5Handle& type, std::vector<hsize_t> shape, hsize_t chunk,
                hsize_t records, const std::string& path)
      : path_(path), shape_(std::move(shape)), is_fixed_(chunk == 0), capacity_(records) {
    const Hdf5Handle plan(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    check(plan.get());
    check(H5Pset_fill_time(plan.get(), is_fixed_ ? H5D_FILL_TIME_NEVER : H5D_FILL_TIME_IFSET));
    if (!is_fixed_) check(H5Pset_chunk(plan.get(), rank(), extent(chunk).data()));
    const Hdf5Handle space(H5Screate_simple(rank(), extent(capacity_).data(),
                                            is_fixed_ ? nullptr : extent(H5S_UNLIMITED).data()),
                           H5Sclose);
    check(space.get());
    dataset_ = Hdf5Handle(
        H5Dcreate2(file, "images", type.get(), space.get(), H5P_DEFAULT, plan.get(), H5P_DEFAULT),
        H5Dclose);
    check(dataset_.get());
  }

  void append(hid_t memory_type, hsize_t count, const void* data) {
    if (written_ + count > capacity_) grow(written_ + count);
    const Hdf5Handle space(H5Dget_space(dataset_.get()), H5Sclose);
    check(space.get());
    std::vector<hsize_t> start(shape_.size() + 1, 0);
    start.front() = written_;
    const std::vector<hsize_t> size = extent(count);
    check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(),
                              nullptr));
    const Hdf5Handle memory(H5Screate_simple(rank(), size.data(), nullptr), H5Sclose);
    check(memory.get());
    check(H5Dwrite(dataset_.get(), memory_type, memory.get(), space.get(), H5P_DEFAULT, data));
    written_ += count;
  }

  void finish() {
    if (!is_fixed_ && capacity_ != written_)
      check(H5Dset_extent(dataset_.get(), extent(written_).data()));
    check(dataset_.close());
  }

 private:
  void check(std::int64_t result) const {
    check_hdf5_write(result, path_, "cannot write \"images\"");
  }
  [[nodiscard]] int rank() const { return static_cast<int>(shape_.size()) + 1; }

  [[nodiscard]] std::vector<hsize_t> extent(hsize_t first) const {
    std::vector<hsize_t> all{first};
    all.insert(all.end(), shape_.begin(), shape_.end());
    return all;
  }

  void grow(hsize_t needed) {
    capacity_ = std::max(needed, 2 * capacity_);
    check(H5Dset_extent(dataset_.get(), extent(capacity_).data()));
  }

  const std::string& path_;
  std::vector<hsize_t> shape_;
  bool is_fixed_;
  hsize_t capacity_;
  hsize_t written_ = 0;
  Hdf5Handle dataset_;
};

/// Writes labels, keys and class names, which all three formats have.
class Hdf5Draft {
 public:
  Hdf5Draft(const fs::path& path, const WriterOptions& options)
      : staging_(path), path_(staging_.draft().string()), class_names_(options.class_names) {
    const Hdf5Session session;
    file_ = create_hdf5_file(path_);
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string target() const { return staging_.target().string(); }
  [[nodiscard]] hid_t file() const { return file_.get(); }
  [[nodiscard]] std::size_t records() const { return labels_.size(); }

  void note(const Record& record) {
    if (record.key.find('\0') != std::string_view::npos) {
      throw FormatError({.file = target()}, "a key has a NUL, which an HDF5 string cannot hold");
    }
    written_.add(record.key, target());
    labels_.push_back(record.label);
    keys_.emplace_back(record.key);
  }

  void require_records() const {
    if (labels_.empty()) throw FormatError({.file = target()}, "no records were written");
  }

  void finish() {
    write_hdf5_integers(file_.get(), "labels", labels_, path_);
    write_hdf5_strings(file_.get(), "keys", keys_, path_);
    if (!class_names_.empty()) {
      write_hdf5_string_attribute(file_.get(), "class_names", class_names_, path_);
    }
    check_hdf5_write(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), path_, "cannot write");
    check_hdf5_write(file_.close(), path_, "cannot close");
    sync_path(path_);
    staging_.publish();
  }

 private:
  Staging staging_;
  std::string path_;
  std::vector<std::string> class_names_;
  Hdf5Handle file_;
  std::vector<std::int64_t> labels_;
  std::vector<std::string> keys_;
  WrittenKeys written_;
};

class EncodedWriter final : public RecordWriter {
 public:
  EncodedWriter(const fs::path& path, const WriterOptions& options) : draft_(path, options) {
    const Hdf5Session session;
    file_type_ = Hdf5Handle(H5Tvlen_create(H5T_STD_U8LE), H5Tclose);
    check_hdf5_write(file_type_.get(), draft_.path(), "cannot create a type");
    images_.emplace(draft_.file(), file_type_, std::vector<hsize_t>{}, kReferenceChunk,
                    options.records, draft_.path());
  }

  void append(const Record& record) override {
    const Hdf5Session session;
    require_payload(record, Payload::kEncoded, draft_.target());
    require_plausible_size(record.payload.size(),
                           {.file = draft_.target(), .record = draft_.records()});
    draft_.note(record);
    const hvl_t value{record.payload.size(), const_cast<std::byte*>(record.payload.data())};
    images_->append(file_type_.get(), 1, &value);
  }

  void finish() override {
    const Hdf5Session session;
    draft_.require_records();
    images_->finish();
    draft_.finish();
  }

 private:
  Hdf5Draft draft_;
  Hdf5Handle file_type_;
  std::optional<GrowingImages> images_;
};

/// `chunk` is 0 for contiguous data.
class PixelWriter final : public RecordWriter {
 public:
  PixelWriter(const fs::path& path, const WriterOptions& options, std::size_t chunk)
      : shape_(required_shape(path, options, "HDF5")),
        announced_(options.records),
        is_contiguous_(chunk == 0),
        batch_(std::max<std::size_t>(chunk, 1)),
        draft_(path, options) {
    const Hdf5Session session;
    type_ = Hdf5Handle(H5Tcopy(H5T_STD_U8LE), H5Tclose);
    check_hdf5_write(type_.get(), draft_.path(), "cannot create a type");
    images_.emplace(draft_.file(), type_,
                    std::vector<hsize_t>{static_cast<hsize_t>(shape_.height),
                                         static_cast<hsize_t>(shape_.width),
                                         static_cast<hsize_t>(shape_.channels)},
                    chunk, options.records, draft_.path());
  }

  void append(const Record& record) override {
    const Hdf5Session session;
    require_payload(record, Payload::kPixels, draft_.target());
    require_shape(record, shape_, draft_.target());
    if (is_contiguous_ && draft_.records() == announced_) fail_count(announced_ + 1);
    draft_.note(record);
    pending_.insert(pending_.end(), record.payload.begin(), record.payload.end());
    if (pending_.size() == batch_ * shape_.size()) flush();
  }

  void finish() override {
    const Hdf5Session session;
    draft_.require_records();
    if (is_contiguous_ && draft_.records() != announced_) fail_count(draft_.records());
    flush();
    images_->finish();
    draft_.finish();
  }

 private:
  [[noreturn]] void fail_count(std::size_t count) const {
    throw FormatError(
        {.file = draft_.target()},
        fmt::format("{} records were written, but {} were announced", count, announced_));
  }

  // Writes whole chunks, so that HDF5 never reads one back.
  void flush() {
    if (pending_.empty()) return;
    images_->append(H5T_NATIVE_UINT8, pending_.size() / shape_.size(), pending_.data());
    pending_.clear();
  }

  ImageShape shape_;
  std::size_t announced_;
  bool is_contiguous_;
  std::size_t batch_;
  Hdf5Draft draft_;
  Hdf5Handle type_;
  std::optional<GrowingImages> images_;
  std::vector<std::byte> pending_;
};

}  // namespace

std::unique_ptr<RecordWriter> create_hdf5_encoded_writer(const fs::path& path,
                                                         const WriterOptions& options) {
  return std::make_unique<EncodedWriter>(path, options);
}

std::unique_ptr<RecordWriter> create_hdf5_decoded_writer(const fs::path& path,
                                                         const WriterOptions& options) {
  const std::size_t sample = std::max<std::size_t>(required_shape(path, options, "HDF5").size(), 1);
  if (options.chunk < 1 || options.chunk > kMaxChunkBytes / sample) {
    throw ConfigError(
        fmt::format("{}: a chunk of {} samples of {} bytes; must have at least 1 sample and be "
                    "smaller than 4 GiB",
                    path.string(), options.chunk, sample));
  }
  return std::make_unique<PixelWriter>(path, options, options.chunk);
}

std::unique_ptr<RecordWriter> create_hdf5_contiguous_writer(const fs::path& path,
                                                            const WriterOptions& options) {
  if (options.records == 0) {
    throw ConfigError(fmt::format(
        "{}: hdf5-contiguous needs the number of records in advance; hdf5-decoded does not",
        path.string()));
  }
  return std::make_unique<PixelWriter>(path, options, 0);
}

}  // namespace feedrate
