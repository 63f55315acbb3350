// SPDX-License-Identifier: Apache-2.0
// Reads all of HDF5's storage layouts, by the library and directly.
#include <filesystem>
#include <functional>
#include <ostream>

#include <hdf5.h>

#include "formats/hdf5/hdf5_call.h"
#include "tests/formats/sample_records.h"

namespace feedrate::testing {
namespace {

namespace fs = std::filesystem;

constexpr hsize_t kImages = 7;
constexpr hsize_t kHeight = 8;
constexpr hsize_t kWidth = 9;
constexpr unsigned char kFill = 7;

bool succeeded(std::int64_t result) {
  EXPECT_GE(result, 0);
  return result >= 0;
}

/// How another program might store kImages images of 8×9×3 bytes.
struct Storage {
  const char* name;
  bool is_direct;  ///< readable with Hdf5Reads::kDirect
  std::vector<hsize_t> chunk = {};
  std::function<void(hid_t plan)> plan = [](hid_t) {};
  bool grows = false;         ///< the number of images is unlimited
  bool is_gray = false;       ///< has no channel dimension
  hsize_t written = kImages;  ///< number of images that are written
  hsize_t user_block = 0;
  int bits = 8;

  friend void PrintTo(const Storage& storage, std::ostream* out) { *out << storage.name; }
};

void deflate(hid_t plan) { succeeded(H5Pset_deflate(plan, 6)); }

void shuffle_and_deflate(hid_t plan) {
  succeeded(H5Pset_shuffle(plan));
  deflate(plan);
}

void deflate_and_sum(hid_t plan) {
  deflate(plan);
  succeeded(H5Pset_fletcher32(plan));
}

void store_in_header(hid_t plan) { succeeded(H5Pset_layout(plan, H5D_COMPACT)); }

void set_fill(hid_t plan) { succeeded(H5Pset_fill_value(plan, H5T_NATIVE_UINT8, &kFill)); }

std::vector<hsize_t> shape_of(const Storage& storage, hsize_t images) {
  std::vector<hsize_t> shape{images, kHeight, kWidth};
  if (!storage.is_gray) shape.push_back(3);
  return shape;
}

std::size_t image_bytes(const Storage& storage) {
  return kHeight * kWidth * (storage.is_gray ? 1 : 3);
}

std::string pixels_of(const Storage& storage, hsize_t image) {
  if (image >= storage.written) return std::string(image_bytes(storage), char{kFill});
  std::string pixels;
  for (std::size_t i = 0; i < image_bytes(storage); ++i) {
    pixels.push_back(static_cast<char>((image * 5 + i / 20) % 128));
  }
  return pixels;
}

Hdf5Handle image_type(const Storage& storage) {
  Hdf5Handle type(H5Tcopy(H5T_STD_U8LE), H5Tclose);
  if (storage.bits < 8) {
    succeeded(H5Tset_precision(type.get(), static_cast<std::size_t>(storage.bits)));
    succeeded(H5Tset_offset(type.get(), 1));
  }
  return type;
}

Hdf5Handle create(const fs::path& path, hsize_t user_block) {
  const Hdf5Handle plan(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  succeeded(H5Pset_userblock(plan.get(), user_block));
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, plan.get(), H5P_DEFAULT), H5Fclose};
}

void write_images(const fs::path& path, const Storage& storage) {
  const Hdf5Session session;
  const Hdf5Handle file = create(path, storage.user_block);
  const Hdf5Handle plan(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (!storage.chunk.empty()) {
    succeeded(
        H5Pset_chunk(plan.get(), static_cast<int>(storage.chunk.size()), storage.chunk.data()));
  }
  storage.plan(plan.get());
  const std::vector<hsize_t> shape = shape_of(storage, kImages);
  const std::vector<hsize_t> most = shape_of(storage, storage.grows ? H5S_UNLIMITED : kImages);
  const int rank = static_cast<int>(shape.size());
  const Hdf5Handle space(H5Screate_simple(rank, shape.data(), most.data()), H5Sclose);
  const Hdf5Handle type = image_type(storage);
  const Hdf5Handle dataset(H5Dcreate2(file.get(), "images", type.get(), space.get(), H5P_DEFAULT,
                                      plan.get(), H5P_DEFAULT),
                           H5Dclose);
  succeeded(dataset.get());
  if (storage.written == 0) return;
  const std::vector<hsize_t> start(shape.size(), 0);
  const std::vector<hsize_t> count = shape_of(storage, storage.written);
  succeeded(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                                nullptr));
  const Hdf5Handle memory(H5Screate_simple(rank, count.data(), nullptr), H5Sclose);
  std::string pixels;
  for (hsize_t i = 0; i < storage.written; ++i) pixels += pixels_of(storage, i);
  succeeded(H5Dwrite(dataset.get(), H5T_NATIVE_UINT8, memory.get(), space.get(), H5P_DEFAULT,
                     pixels.data()));
}

class Hdf5Storage : public ::testing::TestWithParam<Storage> {
 protected:
  TempFolder folder_;
};

TEST_P(Hdf5Storage, returns_the_written_pixels) {
  const fs::path path = folder_ / "a.h5";
  write_images(path, GetParam());
  for (const Hdf5Reads reads : {Hdf5Reads::kLibrary, Hdf5Reads::kDirect}) {
    const auto reader = open_dataset(path, {.hdf5 = reads});
    EXPECT_EQ(reader->locate(0).offset.has_value(), GetParam().is_direct);
    const auto cursor = reader->open_cursor();
    for (const std::size_t index : {6U, 0U, 4U, 4U, 5U, 1U, 2U, 3U}) {
      EXPECT_EQ(text_of(cursor->read(index).payload), pixels_of(GetParam(), index));
    }
  }
}

const std::vector<hsize_t> kThree{3, kHeight, kWidth, 3};

std::vector<Storage> storages() {
  return {
      {.name = "contiguous", .is_direct = true},
      {.name = "contiguous_gray", .is_direct = true, .is_gray = true},
      {.name = "behind_a_user_block", .is_direct = true, .user_block = 512},
      {.name = "seven_bits", .is_direct = false, .bits = 7},
      {.name = "never_written", .is_direct = false, .plan = set_fill, .written = 0},
      {.name = "compact", .is_direct = false, .plan = store_in_header},
      {.name = "chunks_of_three", .is_direct = false, .chunk = kThree, .grows = true},
      {.name = "gray", .is_direct = false, .chunk = {2, kHeight, kWidth}, .is_gray = true},
      {.name = "divided_images", .is_direct = false, .chunk = {2, 4, kWidth, 3}},
      {.name = "never_written_chunks",
       .is_direct = false,
       .chunk = kThree,
       .plan = set_fill,
       .written = 2},
      {.name = "gzip", .is_direct = false, .chunk = kThree, .plan = deflate},
      {.name = "gzip_of_shuffled",
       .is_direct = false,
       .chunk = kThree,
       .plan = shuffle_and_deflate},
      {.name = "checksums", .is_direct = false, .chunk = kThree, .plan = deflate_and_sum},
  };
}

INSTANTIATE_TEST_SUITE_P(Of, Hdf5Storage, ::testing::ValuesIn(storages()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Hdf5Stored, refuses_pixels_in_another_file) {
  const TempFolder folder;
  const std::string raw = (folder / "raw").string();
  const fs::path path = folder / "a.h5";
  write_images(path, {.name = "", .is_direct = false, .plan = [&](hid_t plan) {
                        succeeded(H5Pset_external(plan, raw.c_str(), 0, H5F_UNLIMITED));
                      }});
  EXPECT_THROW(static_cast<void>(open_dataset(path)), FormatError);
}

TEST(Hdf5Direct, names_the_record_in_which_a_truncated_file_ends) {
  const TempFolder folder;
  const fs::path path = folder / "a.h5";
  const Storage storage{.name = "", .is_direct = true};
  write_images(path, storage);
  const auto reader = open_dataset(path, {.hdf5 = Hdf5Reads::kDirect});
  const auto cursor = reader->open_cursor();
  const std::uint64_t third = reader->locate(2).offset.value();
  fs::resize_file(path, third + 1);
  EXPECT_EQ(text_of(cursor->read(1).payload), pixels_of(storage, 1));
  EXPECT_THAT(
      message_of<FormatError>([&] { (void)cursor->read(2); }),
      HasSubstr("record 2 at byte " + std::to_string(third) + ": the file ends inside the record"));
}

constexpr H5Z_filter_t kLz4 = 32004;

/// A filter, called by HDF5, that changes nothing.
std::size_t pass_through(unsigned /*flags*/, std::size_t /*values*/, const unsigned* /*settings*/,
                         std::size_t size, std::size_t* /*capacity*/, void** /*buffer*/) {
  return size;
}

// Disables plugins too, because HDF5 searches them for missing filters.
TEST(Hdf5Filters, that_are_missing_are_named_with_instructions) {
  const TempFolder folder;
  const fs::path path = folder / "a.h5";
  const Hdf5Session session;
  constexpr H5Z_class2_t kClass{H5Z_CLASS_T_VERS, kLz4,    1,           1, "lz4",
                                nullptr,          nullptr, pass_through};
  ASSERT_GE(H5Zregister(&kClass), 0);
  write_images(path, {.name = "", .is_direct = false, .chunk = kThree, .plan = [](hid_t plan) {
                        succeeded(H5Pset_filter(plan, kLz4, H5Z_FLAG_MANDATORY, 0, nullptr));
                      }});
  EXPECT_EQ(read_all(*open_dataset(path)).size(), kImages);
  unsigned plugins = 0;
  ASSERT_GE(H5PLget_loading_state(&plugins), 0);
  ASSERT_GE(H5PLset_loading_state(0), 0);
  ASSERT_GE(H5Zunregister(kLz4), 0);
  for (const Hdf5Reads reads : {Hdf5Reads::kLibrary, Hdf5Reads::kDirect}) {
    const auto reader = open_dataset(path, {.hdf5 = reads});
    EXPECT_THAT(
        message_of<FormatError>([&] { (void)read_all(*reader); }),
        AllOf(HasSubstr("a.h5: record 0: cannot read: the HDF5 library lacks the filter lz4 (id "
                        "32004); install its plugin with apt-get install hdf5-filter-plugin"),
              HasSubstr("HDF5_PLUGIN_PATH")));
  }
  EXPECT_GE(H5PLset_loading_state(plugins), 0);
}

/// Encoded images without labels and keys, as another program may write them.
void write_encoded(const fs::path& path, const std::vector<std::string>& images, hsize_t chunk) {
  const Hdf5Session session;
  const Hdf5Handle file = create(path, 0);
  const Hdf5Handle type(H5Tvlen_create(H5T_STD_U8LE), H5Tclose);
  const hsize_t count = images.size();
  const Hdf5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Hdf5Handle plan(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (chunk > 0) {
    succeeded(H5Pset_chunk(plan.get(), 1, &chunk));
    deflate(plan.get());
  }
  const Hdf5Handle dataset(H5Dcreate2(file.get(), "images", type.get(), space.get(), H5P_DEFAULT,
                                      plan.get(), H5P_DEFAULT),
                           H5Dclose);
  std::vector<hvl_t> values;
  for (const std::string& image : images) {
    values.push_back({image.size(), const_cast<char*>(image.data())});
  }
  succeeded(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
}

std::vector<std::string> some_images() {
  std::vector<std::string> images;
  for (std::size_t i = 0; i < 39; ++i) images.push_back(fake_image(i, 20 + i * i * 2));
  images.push_back(fake_image(39, 70'000));  // Large enough for a heap of its own.
  return images;
}

TEST(Hdf5Stored, reads_encoded_images_of_other_programs) {
  const TempFolder folder;
  const fs::path path = folder / "a.h5";
  for (const hsize_t chunk : {0U, 16U}) {
    write_encoded(path, some_images(), chunk);
    const auto records = read_all(*open_dataset(path));
    ASSERT_EQ(records.size(), some_images().size());
    for (std::size_t i = 0; i < records.size(); ++i)
      EXPECT_EQ(records[i].payload, some_images()[i]);
  }
}

}  // namespace
}  // namespace feedrate::testing
