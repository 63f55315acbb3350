// Records read where they lie, held against those that HDF5 reads.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>

#include <hdf5.h>

#include "formats/hdf5/hdf5_call.h"
#include "formats/hdf5/hdf5_contents.h"
#include "formats/hdf5/hdf5_places.h"
#include "tests/formats/sample_records.h"
#include "tests/support/hdf5_lz4.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr hsize_t kImages = 7;
constexpr hsize_t kHeight = 8;
constexpr hsize_t kWidth = 9;

bool succeeded(std::int64_t result) {
  EXPECT_GE(result, 0);
  return result >= 0;
}

/// How somebody stores kImages images of 8×9×3 bytes.
struct Storage {
  const char* name;
  bool is_direct;
  std::vector<hsize_t> chunk = {};
  std::function<void(hid_t plan)> plan = [](hid_t) {};
  bool grows = false;         ///< has no largest number of images
  bool is_grey = false;       ///< has no axis of channels
  bool is_noise = false;      ///< cannot be packed
  hsize_t written = kImages;  ///< the others never are
  H5F_libver_t version = H5F_LIBVER_EARLIEST;
  hsize_t user_block = 0;
  int bits = 8;

  friend void PrintTo(const Storage& storage, std::ostream* out) { *out << storage.name; }
};

void deflate(hid_t plan) { succeeded(H5Pset_deflate(plan, 6)); }

void shuffle_and_deflate(hid_t plan) {
  succeeded(H5Pset_shuffle(plan));
  succeeded(H5Pset_deflate(plan, 6));
}

void deflate_and_sum(hid_t plan) {
  succeeded(H5Pset_deflate(plan, 6));
  succeeded(H5Pset_fletcher32(plan));
}

void lz4(hid_t plan) { succeeded(testing::set_hdf5_lz4(plan, 100)); }

void shuffle_and_lz4(hid_t plan) {
  succeeded(H5Pset_shuffle(plan));
  lz4(plan);
}

void lz4_and_deflate(hid_t plan) {
  lz4(plan);
  deflate(plan);
}

void allocate_early(hid_t plan) { succeeded(H5Pset_alloc_time(plan, H5D_ALLOC_TIME_EARLY)); }

void store_in_header(hid_t plan) { succeeded(H5Pset_layout(plan, H5D_COMPACT)); }

void fill_with_sevens(hid_t plan) {
  const unsigned char seven = 7;
  succeeded(H5Pset_fill_value(plan, H5T_NATIVE_UINT8, &seven));
}

void leave_edges_unpacked(hid_t plan) {
  deflate(plan);
  succeeded(H5Pset_chunk_opts(plan, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS));
}

std::vector<hsize_t> shape_of(const Storage& storage, hsize_t images) {
  std::vector<hsize_t> shape{images, kHeight, kWidth};
  if (!storage.is_grey) shape.push_back(3);
  return shape;
}

std::string pixels_of(const Storage& storage) {
  std::string pixels;
  RandomStream random(3);
  const hsize_t count = kImages * kHeight * kWidth * (storage.is_grey ? 1 : 3);
  for (hsize_t i = 0; i < count; ++i) {
    pixels.push_back(static_cast<char>(storage.is_noise ? random.below(256) : i / 50));
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

Hdf5Handle create(const fs::path& path, const Storage& storage) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  succeeded(H5Pset_libver_bounds(access.get(), storage.version, H5F_LIBVER_LATEST));
  const Hdf5Handle plan(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  succeeded(H5Pset_userblock(plan.get(), storage.user_block));
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, plan.get(), access.get()), H5Fclose};
}

void write_images(const fs::path& path, const Storage& storage) {
  const Hdf5Session session;
  const Hdf5Handle file = create(path, storage);
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
  succeeded(H5Dwrite(dataset.get(), H5T_NATIVE_UINT8, memory.get(), space.get(), H5P_DEFAULT,
                     pixels_of(storage).data()));
}

class Hdf5Storage : public ::testing::TestWithParam<Storage> {
 protected:
  testing::TempFolder folder_;
};

TEST_P(Hdf5Storage, gives_the_bytes_that_the_library_gives) {
  const fs::path path = folder_ / "a.h5";
  write_images(path, GetParam());
  const auto direct = open_dataset(path);
  const auto library = open_dataset(path, {.hdf5 = Hdf5Reads::kLibrary});
  EXPECT_THAT(library->layout(), Not(HasSubstr("library")));
  if (GetParam().is_direct) {
    EXPECT_EQ(direct->layout(), library->layout());
  } else {
    EXPECT_EQ(direct->layout(), library->layout() + ", which only the HDF5 library can read");
  }
  const auto expected = testing::read_all(*library);
  EXPECT_EQ(testing::read_all(*direct), expected);
  const auto cursor = direct->open_cursor();
  for (const std::size_t index : {6U, 0U, 4U, 4U, 5U, 1U}) {
    EXPECT_EQ(testing::own(cursor->read(index)), expected[index]);
  }
}

const std::vector<hsize_t> kSingle{1, kHeight, kWidth, 3};
const std::vector<hsize_t> kThree{3, kHeight, kWidth, 3};
const std::vector<hsize_t> kAll{kImages, kHeight, kWidth, 3};

std::vector<Storage> storages() {
  return {
      {.name = "contiguous", .is_direct = true},
      {.name = "chunks_of_one", .is_direct = true, .chunk = kSingle},
      {.name = "chunks_of_three", .is_direct = true, .chunk = kThree, .grows = true},
      {.name = "one_chunk", .is_direct = true, .chunk = kAll},
      {.name = "grey", .is_direct = true, .chunk = {2, kHeight, kWidth}, .is_grey = true},
      {.name = "gzip", .is_direct = true, .chunk = kThree, .plan = deflate},
      {.name = "gzip_that_grows",
       .is_direct = true,
       .chunk = kSingle,
       .plan = deflate,
       .grows = true},
      {.name = "gzip_of_noise",
       .is_direct = true,
       .chunk = kSingle,
       .plan = deflate,
       .is_noise = true},
      {.name = "gzip_of_shuffled", .is_direct = true, .chunk = kThree, .plan = shuffle_and_deflate},
      {.name = "lz4", .is_direct = true, .chunk = kThree, .plan = lz4},
      {.name = "lz4_that_grows", .is_direct = true, .chunk = kSingle, .plan = lz4, .grows = true},
      {.name = "lz4_of_noise", .is_direct = true, .chunk = kSingle, .plan = lz4, .is_noise = true},
      {.name = "lz4_of_shuffled", .is_direct = true, .chunk = kThree, .plan = shuffle_and_lz4},
      {.name = "gzip_of_lz4", .is_direct = false, .chunk = kThree, .plan = lz4_and_deflate},
      {.name = "fixed_array", .is_direct = true, .chunk = kSingle, .version = H5F_LIBVER_LATEST},
      {.name = "fixed_array_of_gzip",
       .is_direct = true,
       .chunk = kThree,
       .plan = deflate,
       .version = H5F_LIBVER_LATEST},
      {.name = "extensible_array",
       .is_direct = true,
       .chunk = kThree,
       .grows = true,
       .version = H5F_LIBVER_LATEST},
      {.name = "single_chunk_of_gzip",
       .is_direct = true,
       .chunk = kAll,
       .plan = deflate,
       .version = H5F_LIBVER_LATEST},
      {.name = "implicit_index",
       .is_direct = true,
       .chunk = kSingle,
       .plan = allocate_early,
       .version = H5F_LIBVER_LATEST},
      {.name = "divided_images", .is_direct = false, .chunk = {2, 4, kWidth, 3}},
      {.name = "checksums", .is_direct = false, .chunk = kThree, .plan = deflate_and_sum},
      {.name = "edges_unpacked",
       .is_direct = false,
       .chunk = kThree,
       .plan = leave_edges_unpacked,
       .version = H5F_LIBVER_LATEST},
      {.name = "never_written_chunks",
       .is_direct = false,
       .chunk = kThree,
       .plan = fill_with_sevens,
       .written = 2},
      {.name = "never_written", .is_direct = false, .plan = fill_with_sevens, .written = 0},
      {.name = "compact", .is_direct = false, .plan = store_in_header},
      {.name = "behind_a_user_block", .is_direct = false, .chunk = kSingle, .user_block = 512},
      {.name = "seven_bits", .is_direct = false, .bits = 7},
  };
}

INSTANTIATE_TEST_SUITE_P(Of, Hdf5Storage, ::testing::ValuesIn(storages()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Hdf5Direct, refuses_pixels_in_another_file) {
  const testing::TempFolder folder;
  const std::string raw = (folder / "raw").string();
  const fs::path path = folder / "a.h5";
  write_images(path, {.name = "", .is_direct = false, .plan = [&](hid_t plan) {
                        succeeded(H5Pset_external(plan, raw.c_str(), 0, H5F_UNLIMITED));
                      }});
  EXPECT_THROW(static_cast<void>(open_dataset(path)), FormatError);
}

TEST(Hdf5Direct, finds_each_of_many_chunks) {
  const testing::TempFolder folder;
  std::vector<testing::OwnedRecord> records;
  for (std::size_t i = 0; i < 3000; ++i) {
    records.push_back(testing::pixel_record(std::to_string(i), 1, i));
  }
  const fs::path path = folder / "a.h5";
  testing::write_dataset(find_format("hdf5-decoded"), path, records, testing::options_for(records));
  EXPECT_EQ(testing::read_all(*open_dataset(path)), records);
}

void overwrite(const fs::path& path, std::uint64_t at, char byte) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(byte);
  EXPECT_TRUE(file.good());
}

/// Damages each byte of record 2 in turn and reads it, and those beside it that are sound; `check`
/// gets what record 2 is now, and what it was.
void read_beside_damage(
    const std::function<void(hid_t)>& plan,
    const std::function<void(const testing::OwnedRecord&, const testing::OwnedRecord&)>& check) {
  const testing::TempFolder folder;
  const fs::path path = folder / "a.h5";
  write_images(path, {.name = "", .is_direct = true, .chunk = kSingle, .plan = plan});
  const auto sound = testing::read_all(*open_dataset(path));
  const auto places = find_hdf5_places(path.string(), read_hdf5_contents(path.string()));
  ASSERT_TRUE(places);
  const Hdf5Places::Chunk& third = places->chunks[2];
  const std::string bytes = testing::read_file(path);
  for (std::uint64_t at = third.address; at < third.address + third.packed; ++at) {
    overwrite(path, at, static_cast<char>(~bytes[at]));
    const auto reader = open_dataset(path);
    const auto cursor = reader->open_cursor();
    try {
      check(testing::own(cursor->read(2)), sound[2]);
    } catch (const FormatError& error) {
      EXPECT_THAT(error.what(), HasSubstr("record 2 at byte " + std::to_string(third.address)));
    }
    EXPECT_EQ(testing::own(cursor->read(1)), sound[1]);
    EXPECT_EQ(testing::own(cursor->read(3)), sound[3]);
    overwrite(path, at, bytes[at]);
  }
}

TEST(Hdf5Direct, reads_the_chunks_beside_a_damaged_one) {
  read_beside_damage(deflate, [](const auto& read, const auto& sound) { EXPECT_EQ(read, sound); });
  // LZ4 has no checksum: damaged pixels may be other pixels.
  read_beside_damage(lz4, [](const auto& read, const auto& sound) {
    EXPECT_EQ(read.payload.size(), sound.payload.size());
  });
}

// HDF5 looks for a filter among its own, then for a plugin.
TEST(Hdf5Direct, names_the_filter_that_the_library_lacks_and_does_without) {
  const testing::TempFolder folder;
  const fs::path path = folder / "a.h5";
  write_images(path, {.name = "", .is_direct = true, .chunk = kThree, .plan = lz4});
  const auto expected = testing::read_all(*open_dataset(path, {.hdf5 = Hdf5Reads::kLibrary}));
  const Hdf5Session session;
  unsigned plugins = 0;
  ASSERT_GE(H5PLget_loading_state(&plugins), 0);
  ASSERT_GE(H5PLset_loading_state(0), 0);
  ASSERT_GE(H5Zunregister(kHdf5Lz4Filter), 0);
  const auto library = open_dataset(path, {.hdf5 = Hdf5Reads::kLibrary});
  EXPECT_THAT(testing::message_of<FormatError>([&] { (void)testing::read_all(*library); }),
              AllOf(HasSubstr("a.h5: record 0: cannot read: the HDF5 library lacks the filter lz4 "
                              "(id 32004); its plugin comes with apt-get install"),
                    HasSubstr("HDF5_PLUGIN_PATH"), HasSubstr("hdf5_reads: direct needs none")));
  EXPECT_EQ(testing::read_all(*open_dataset(path)), expected);
  EXPECT_GE(H5PLset_loading_state(plugins), 0);
}

/// Encoded images without labels and keys, as another program may write them.
void write_encoded(const fs::path& path, const std::vector<std::string>& images, hsize_t chunk) {
  const Hdf5Session session;
  const Hdf5Handle file = create(path, {.name = "", .is_direct = true});
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
  for (std::size_t i = 0; i < 39; ++i) images.push_back(testing::fake_image(i, 20 + i * i * 2));
  images.push_back(testing::fake_image(39, 70'000));  // Has a heap of its own.
  return images;
}

TEST(Hdf5Direct, reads_encoded_images_of_other_programs) {
  const testing::TempFolder folder;
  const fs::path path = folder / "a.h5";
  for (const hsize_t chunk : {0U, 16U}) {
    write_encoded(path, some_images(), chunk);
    const auto direct = open_dataset(path);
    EXPECT_THAT(direct->layout(), Not(HasSubstr("library")));
    const auto records = testing::read_all(*direct);
    ASSERT_EQ(records.size(), some_images().size());
    for (std::size_t i = 0; i < records.size(); ++i)
      EXPECT_EQ(records[i].payload, some_images()[i]);
    EXPECT_EQ(records, testing::read_all(*open_dataset(path, {.hdf5 = Hdf5Reads::kLibrary})));
  }
}

// The library itself may crash by this.
TEST(Hdf5Direct, survives_damage_in_the_heaps_of_encoded_images) {
  const testing::TempFolder folder;
  const fs::path path = folder / "a.h5";
  write_encoded(path, some_images(), 0);
  const std::string bytes = testing::read_file(path);
  const auto places = find_hdf5_places(path.string(), read_hdf5_contents(path.string()));
  ASSERT_TRUE(places);
  std::vector<std::uint64_t> positions;
  for (std::uint64_t i = 0; i < 40 * 16; ++i) positions.push_back(places->chunks[0].address + i);
  for (std::size_t at = bytes.find("GCOL"); at != std::string::npos;
       at = bytes.find("GCOL", at + 1)) {
    for (std::uint64_t i = 0; i < 64; ++i) positions.push_back(at + i);
  }
  ASSERT_GT(positions.size(), 700U);
  for (const std::uint64_t at : positions) {
    overwrite(path, at, static_cast<char>(~bytes[at]));
    try {
      const auto reader = open_dataset(path);
      const auto cursor = reader->open_cursor();
      for (std::size_t i = 0; i < reader->size(); ++i) {
        try {
          (void)testing::own(cursor->read(i));
        } catch (const FormatError&) {
        }
      }
    } catch (const FormatError&) {
    }
    overwrite(path, at, bytes[at]);
  }
  EXPECT_EQ(testing::read_all(*open_dataset(path)).back().payload, some_images().back());
}

}  // namespace
}  // namespace feedrate
