// SPDX-License-Identifier: Apache-2.0
// Reads HDF5 files of images, encoded or as pixels, of feedrate or others. See docs/formats.md.
#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <hdf5.h>
#include <sys/stat.h>

#include "core/host/file.h"
#include "core/host/trial.h"
#include "formats/array_names.h"
#include "formats/formats.h"
#include "formats/hdf5/hdf5_call.h"
#include "formats/hdf5/hdf5_contents.h"
#include "formats/hdf5/hdf5_describe.h"
#include "formats/hdf5/hdf5_filters.h"
#include "formats/packed_file.h"
#include "formats/payload.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

class ImageDataset {
 public:
  ImageDataset(const std::string& path, const Hdf5Contents& contents)
      : location_{.file = path}, rank_(contents.rank) {
    file_ = open_hdf5_file(path);
    dataset_ = Hdf5Handle(H5Dopen2(file_.get(), contents.images.c_str(), H5P_DEFAULT), H5Dclose);
    check(dataset_.get(), "cannot open the images");
    space_ = Hdf5Handle(H5Dget_space(dataset_.get()), H5Sclose);
    check(space_.get(), "cannot open the images");
    count_ = {1, static_cast<hsize_t>(contents.shape.height),
              static_cast<hsize_t>(contents.shape.width),
              static_cast<hsize_t>(contents.shape.channels)};
    memory_ =
        Hdf5Handle(H5Screate_simple(static_cast<int>(rank_), count_.data(), nullptr), H5Sclose);
    check(memory_.get(), "cannot open the images");
  }

  void read(std::size_t index, std::int64_t type, std::int64_t transfer, void* out) {
    const std::array<hsize_t, 4> start{index, 0, 0, 0};
    location_.record = index;
    check_hdf5_read(H5Sselect_hyperslab(space_.get(), H5S_SELECT_SET, start.data(), nullptr,
                                        count_.data(), nullptr),
                    location_, "cannot select");
    check_hdf5_data(H5Dread(dataset_.get(), type, memory_.get(), space_.get(), transfer, out),
                    dataset_.get(), location_, "cannot read");
  }

 private:
  void check(std::int64_t result, std::string_view action) const {
    check_hdf5_read(result, location_, action);
  }

  DataLocation location_;
  std::size_t rank_;
  Hdf5Handle file_;
  Hdf5Handle dataset_;
  Hdf5Handle space_;
  Hdf5Handle memory_;
  std::array<hsize_t, 4> count_{};
};

/// HDF5's allocator for variable-length values: the cursor's buffer.
void* take_from_buffer(std::size_t size, void* buffer) {
  if (size > kMaxRecordBytes) return nullptr;
  return static_cast<ReadBuffer*>(buffer)->take(size).data();
}

void leave_in_buffer(void* /*memory*/, void* /*buffer*/) {}

class EncodedCursor final : public RecordCursor {
 public:
  EncodedCursor(const std::string& path, const Hdf5Contents& contents)
      : path_(path), contents_(contents) {
    const Hdf5Session session;
    images_.emplace(path, contents);
    type_ = Hdf5Handle(H5Tvlen_create(H5T_NATIVE_UINT8), H5Tclose);
    check_hdf5_read(type_.get(), {.file = path}, "cannot create a type");
    transfer_ = Hdf5Handle(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
    check_hdf5_read(transfer_.get(), {.file = path}, "cannot prepare reading");
    check_hdf5_read(H5Pset_vlen_mem_manager(transfer_.get(), take_from_buffer, &buffer_,
                                            leave_in_buffer, &buffer_),
                    {.file = path}, "cannot prepare reading");
  }

  Record read(std::size_t index) override {
    const Hdf5Session session;
    hvl_t value{};
    images_->read(index, type_.get(), transfer_.get(), &value);
    if (value.len == 0) {
      throw FormatError({.file = path_, .record = index}, "is empty; must be an image");
    }
    return {.payload = {static_cast<const std::byte*>(value.p), value.len},
            .label = contents_.labels[index],
            .key = contents_.keys[index]};
  }

 private:
  const std::string& path_;
  const Hdf5Contents& contents_;
  ReadBuffer buffer_;
  std::optional<ImageDataset> images_;
  Hdf5Handle type_;
  Hdf5Handle transfer_;
};

class PixelCursor final : public RecordCursor {
 public:
  PixelCursor(const std::string& path, const Hdf5Contents& contents) : contents_(contents) {
    const Hdf5Session session;
    images_.emplace(path, contents);
  }

  Record read(std::size_t index) override {
    const Hdf5Session session;
    const MutableBytes pixels = buffer_.take(contents_.shape.size());
    images_->read(index, H5T_NATIVE_UINT8, H5P_DEFAULT, pixels.data());
    return {.payload = pixels,
            .label = contents_.labels[index],
            .key = contents_.keys[index],
            .kind = Payload::kPixels,
            .shape = contents_.shape};
  }

 private:
  const Hdf5Contents& contents_;
  ReadBuffer buffer_;
  std::optional<ImageDataset> images_;
};

/// Reads contiguous pixels with pread(), without HDF5, so that threads do not wait for its lock.
class ContiguousCursor final : public RecordCursor {
 public:
  ContiguousCursor(const PackedFile& file, const Hdf5Contents& contents)
      : file_(file), contents_(contents) {}

  Record read(std::size_t index) override {
    const std::size_t size = contents_.shape.size();
    const Bytes pixels = reads_.read(file_, offset_of(index), size);
    if (pixels.size() < size) {
      throw FormatError({.file = file_.path, .record = index, .offset = offset_of(index)},
                        "the file ends inside the record; it was truncated after it was opened");
    }
    return {.payload = pixels,
            .label = contents_.labels[index],
            .key = contents_.keys[index],
            .kind = Payload::kPixels,
            .shape = contents_.shape};
  }

  void expect(std::span<const std::uint64_t> indices) override {
    for (const std::uint64_t index : indices) {
      reads_.expect(file_, offset_of(index), contents_.shape.size());
    }
    reads_.ask();
  }

 private:
  [[nodiscard]] std::uint64_t offset_of(std::size_t index) const {
    return *contents_.first_byte + std::uint64_t{index} * contents_.shape.size();
  }

  const PackedFile& file_;
  const Hdf5Contents& contents_;
  PackedReads reads_;
};

/// Keeps no HDF5 file open: each cursor opens its own.
class Hdf5Reader final : public RecordReader {
 public:
  Hdf5Reader(const fs::path& path, const ReadOptions& options)
      : path_(path.string()), contents_(read_hdf5_contents(path_)) {
    if (options.hdf5 != Hdf5Reads::kDirect || !contents_.first_byte) return;
    direct_ = PackedReads().open(path_);
    prepare(*direct_, options.order);
  }

  std::string_view format() const noexcept override {
    switch (contents_.kind) {
      case Hdf5Kind::kEncoded:
        return "hdf5";
      case Hdf5Kind::kDecoded:
        return "hdf5-decoded";
      case Hdf5Kind::kContiguous:
        break;
    }
    return "hdf5-contiguous";
  }

  std::size_t size() const noexcept override { return contents_.records; }

  Payload payload() const noexcept override {
    return contents_.kind == Hdf5Kind::kEncoded ? Payload::kEncoded : Payload::kPixels;
  }

  const std::vector<std::string>& class_names() const noexcept override {
    return contents_.class_names;
  }

  std::vector<fs::path> files() const override { return {path_}; }

  DataLocation locate(std::size_t index) const override {
    DataLocation location{.file = path_, .record = index};
    if (contents_.first_byte) {
      location.offset = *contents_.first_byte + std::uint64_t{index} * contents_.shape.size();
    }
    return location;
  }

  std::string layout() const override {
    const std::string what = contents_.kind == Hdf5Kind::kEncoded
                                 ? "variable-length bytes"
                                 : fmt::format("pixels of {}×{}×{}", contents_.shape.height,
                                               contents_.shape.width, contents_.shape.channels);
    return fmt::format("{}, {}{}", what, chunks(), unread_text(contents_.unread));
  }

  std::unique_ptr<RecordCursor> open_cursor() const override {
    if (direct_) return std::make_unique<ContiguousCursor>(*direct_, contents_);
    if (contents_.kind == Hdf5Kind::kEncoded)
      return std::make_unique<EncodedCursor>(path_, contents_);
    return std::make_unique<PixelCursor>(path_, contents_);
  }

 private:
  [[nodiscard]] std::string chunks() const {
    if (contents_.chunk.empty()) return "contiguous";
    if (contents_.kind == Hdf5Kind::kEncoded) {
      return fmt::format("chunks of {} references", contents_.chunk.front());
    }
    return fmt::format("chunks of {}", shape_text(contents_.chunk));
  }

  std::string path_;
  Hdf5Contents contents_;
  std::optional<PackedFile> direct_;  ///< for reads without HDF5
};

// Reads a small file completely, of a large one evenly spaced records.
void read_some(const RecordReader& reader) {
  constexpr std::size_t kMostRecords = 256;
  constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  const std::size_t step = std::max<std::size_t>(1, reader.size() / kMostRecords);
  const auto cursor = reader.open_cursor();
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < reader.size() && bytes < kMostBytes; i += step) {
    try {
      bytes += cursor->read(i).payload.size();
    } catch (const FormatError&) {  // Reported damage is no crash.
    }
  }
}

// Identifies one version of a file and the way of reading it.
using TriedFile = std::tuple<dev_t, ino_t, off_t, std::int64_t, Hdf5Reads>;

std::optional<TriedFile> identify(const fs::path& path, const ReadOptions& options) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  const std::int64_t changed =
      std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  return TriedFile(status.st_dev, status.st_ino, status.st_size, changed, options.hdf5);
}

// Tries a file only once, because every start of a loader opens it. Throws FormatError if reading
// it crashes the HDF5 library.
void require_survivable(const fs::path& path, const ReadOptions& options) {
  static std::mutex mutex;
  static std::set<TriedFile> survived;
  const std::scoped_lock lock(mutex);
  const std::optional<TriedFile> file = identify(path, options);
  if (!file || survived.contains(*file)) return;
  const std::string problem = why_not_survived([&] { read_some(Hdf5Reader(path, options)); },
                                               {.of = "the HDF5 library", .hold_during_fork = [] {
                                                  return std::make_shared<Hdf5Session>();
                                                }});
  if (!problem.empty()) throw FormatError({.file = path.string()}, "is damaged: it " + problem);
  survived.insert(*file);
}

}  // namespace

std::unique_ptr<RecordReader> open_hdf5_reader(const fs::path& path, const ReadOptions& options) {
  require_survivable(path, options);
  return std::make_unique<Hdf5Reader>(path, options);
}

}  // namespace feedrate
