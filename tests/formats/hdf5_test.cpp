// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include <hdf5.h>

#include "formats/hdf5/hdf5_call.h"
#include "tests/formats/sample_records.h"

namespace feedrate::testing {
namespace {

namespace fs = std::filesystem;

/// Writes files like another program.
class ForeignFile {
 public:
  explicit ForeignFile(const fs::path& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {
    EXPECT_GE(file_, 0);
  }
  ForeignFile(const ForeignFile&) = delete;
  ForeignFile& operator=(const ForeignFile&) = delete;
  ~ForeignFile() { close(); }

  void close() {
    if (file_ >= 0) {
      EXPECT_GE(H5Fclose(file_), 0);
    }
    file_ = -1;
  }

  /// Adds a dataset whose elements count up from 0; `chunk` samples a chunk, 0 for contiguous.
  void add(const char* name, hid_t type, std::vector<hsize_t> shape, hsize_t chunk = 0,
           bool write = true) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    if (chunk > 0) {
      std::vector<hsize_t> chunks = shape;
      chunks.front() = chunk;
      EXPECT_GE(H5Pset_chunk(plan, static_cast<int>(chunks.size()), chunks.data()), 0);
    }
    const hid_t dataset = H5Dcreate2(file_, name, type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    EXPECT_GE(dataset, 0);
    if (write) {
      std::string bytes(
          static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)) * H5Tget_size(type), '\0');
      for (std::size_t i = 0; i < bytes.size(); i += H5Tget_size(type)) {
        bytes[i] = static_cast<char>(i / H5Tget_size(type));
      }
      EXPECT_GE(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), 0);
    }
    H5Dclose(dataset);
    H5Pclose(plan);
    H5Sclose(space);
  }

  void add_group(const char* name) {
    const hid_t group = H5Gcreate2(file_, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Gclose(group), 0);
  }
  void link_soft(const char* target, const char* name) {
    EXPECT_GE(H5Lcreate_soft(target, file_, name, H5P_DEFAULT, H5P_DEFAULT), 0);
  }
  void link_hard(const char* target, const char* name) {
    EXPECT_GE(H5Lcreate_hard(file_, target, file_, name, H5P_DEFAULT, H5P_DEFAULT), 0);
  }
  void link_external(const char* other, const char* target, const char* name) {
    EXPECT_GE(H5Lcreate_external(other, target, file_, name, H5P_DEFAULT, H5P_DEFAULT), 0);
  }
  void add_labels(const char* name, hid_t type, const std::vector<std::uint64_t>& labels) {
    const hsize_t size = labels.size();
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    const hid_t dataset =
        H5Dcreate2(file_, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Dwrite(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, labels.data()),
              0);
    H5Dclose(dataset);
    H5Sclose(space);
  }

 private:
  Hdf5Session session_;  // First, because it initializes HDF5.
  hid_t file_;
};

class Hdf5Format : public ::testing::Test {
 protected:
  fs::path path() const { return folder_ / "a.h5"; }
  std::unique_ptr<RecordReader> open() const { return open_dataset(path()); }
  std::string error() const {
    return message_of<FormatError>([&] { (void)open(); });
  }

  TempFolder folder_;
};

TEST_F(Hdf5Format, reads_another_programs_pixels_and_labels) {
  {
    ForeignFile file(path());
    file.add("x_train", H5T_NATIVE_UINT8, {3, 2, 2, 3});
    file.add("y_train", H5T_NATIVE_INT32, {3, 1});
    file.add("x_test", H5T_NATIVE_UINT8, {1, 2, 2, 3});
    file.add("weights", H5T_NATIVE_DOUBLE, {5});
  }
  const auto reader = open();
  EXPECT_EQ(reader->format(), "hdf5-contiguous");
  const auto records = read_all(*reader);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[2].key, "000002");
  EXPECT_EQ(records[2].label, 2);
  EXPECT_EQ(records[2].shape, (ImageShape{.height = 2, .width = 2, .channels = 3}));
  EXPECT_EQ(records[2].payload[0], 24);
}

TEST_F(Hdf5Format, reads_the_only_dataset_that_fits_whatever_its_name) {
  {
    ForeignFile file(path());
    file.add("pictures", H5T_NATIVE_UINT8, {2, 4, 5, 1}, 1);
    file.add("weights", H5T_NATIVE_FLOAT, {2, 4, 5, 3});
  }
  const auto reader = open();
  EXPECT_EQ(reader->format(), "hdf5-decoded");
  EXPECT_EQ(reader->open_cursor()->read(1).label, kNoLabel);
  EXPECT_EQ(reader->layout(), "pixels of 4×5×1, chunks of 1×4×5×1, not read: weights");
}

TEST_F(Hdf5Format, reads_gray_images_without_a_channel_axis) {
  ForeignFile(path()).add("images", H5T_NATIVE_UINT8, {2, 4, 5});
  const auto records = read_all(*open());
  EXPECT_EQ(records[1].shape, (ImageShape{.height = 4, .width = 5, .channels = 1}));
  EXPECT_EQ(records[1].payload[0], 20);
}

// Damages the precision of a type: more bits than an element has.
TEST_F(Hdf5Format, refuses_elements_with_more_bits_than_they_have) {
  ForeignFile(path()).add("images", H5T_NATIVE_UINT8, {2, 4, 5});
  const std::string type("\x10\0\0\0\x01\0\0\0\0\0\x08\0", 12);
  std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  const std::size_t at = bytes.find(type);
  ASSERT_NE(at, std::string::npos);
  file.seekp(static_cast<std::streamoff>(at + 10));
  file.put('\x7F');
  file.close();
  EXPECT_THAT(error(), HasSubstr("integers of an odd size"));
}

TEST_F(Hdf5Format, says_how_to_transpose_channels_that_come_first) {
  ForeignFile(path()).add("images", H5T_NATIVE_UINT8, {2, 3, 32, 32});
  EXPECT_THAT(error(), AllOf(HasSubstr("images: uint8 2×3×32×32 has its channels first"),
                             HasSubstr("transpose(0, 2, 3, 1)")));
}

TEST_F(Hdf5Format, lists_the_datasets_if_none_holds_images) {
  {
    ForeignFile file(path());
    file.add("weights", H5T_NATIVE_FLOAT, {2, 7});
    file.add("labels", H5T_NATIVE_INT64, {2});
  }
  EXPECT_THAT(error(),
              AllOf(HasSubstr("no dataset holds images"), HasSubstr("weights: float32 2×7"),
                    HasSubstr("labels: int64 2"), HasSubstr("N×H×W×3")));
  { ForeignFile empty(path()); }
  EXPECT_THAT(error(), HasSubstr("it has no dataset"));
}

TEST_F(Hdf5Format, asks_for_a_name_where_two_datasets_fit) {
  {
    ForeignFile file(path());
    file.add("left", H5T_NATIVE_UINT8, {2, 4, 5, 3});
    file.add("right", H5T_NATIVE_UINT8, {2, 4, 5, 3});
  }
  EXPECT_THAT(error(), AllOf(HasSubstr("left: uint8"), HasSubstr("right: uint8"),
                             HasSubstr("named \"images\"")));
}

// deeplearning.ai's files have these names.
TEST_F(Hdf5Format, reads_the_names_of_training_and_test_sets) {
  for (const std::string set : {"train_set", "test_set"}) {
    {
      ForeignFile file(path());
      file.add((set + "_x").c_str(), H5T_NATIVE_UINT8, {3, 2, 2, 3});
      file.add((set + "_y").c_str(), H5T_NATIVE_INT64, {3});
      file.add("list_classes", H5T_NATIVE_INT64, {2});
    }
    EXPECT_EQ(open()->open_cursor()->read(2).label, 2);
    EXPECT_EQ(open()->layout(), "pixels of 2×2×3, contiguous, not read: list_classes");
  }
}

TEST_F(Hdf5Format, follows_links_within_the_file) {
  {
    ForeignFile file(path());
    file.add_group("d");
    file.add("d/im", H5T_NATIVE_UINT8, {3, 2, 2, 3});
    file.add("d/y", H5T_NATIVE_INT32, {3});
    file.link_soft("/d/im", "images");
    file.link_hard("d/y", "labels");
  }
  const auto records = read_all(*open());
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[2].label, 2);
  EXPECT_EQ(records[2].payload[0], 24);
}

TEST_F(Hdf5Format, takes_several_links_to_one_dataset_for_one) {
  for (const bool has_another : {false, true}) {
    ForeignFile file(path());
    file.add("pixels", H5T_NATIVE_UINT8, {3, 2, 2, 3});
    file.link_soft("pixels", "latest");
    file.link_hard("pixels", "v2");
    file.link_soft("nowhere", "next");
    if (has_another) file.add("others", H5T_NATIVE_UINT8, {3, 2, 2, 3});
    file.close();
    if (has_another) {
      EXPECT_THAT(error(), HasSubstr("no dataset holds images; found latest: uint8"));
    } else {
      EXPECT_EQ(open()->size(), 3U);
    }
  }
}

TEST_F(Hdf5Format, refuses_links_that_lead_out_of_the_file_or_nowhere) {
  ForeignFile(folder_ / "other.h5").add("images", H5T_NATIVE_UINT8, {3, 2, 2, 3});
  const auto linked = [&](const std::function<void(ForeignFile&)>& link) {
    {
      ForeignFile file(path());
      file.add("images", H5T_NATIVE_UINT8, {3, 2, 2, 3});
      link(file);
    }
    return error();
  };
  const std::string nowhere = "labels is a link to nothing, or to another file";
  EXPECT_THAT(linked([](ForeignFile& file) { file.link_soft("/meta/y", "labels"); }),
              HasSubstr(nowhere + ", which is not supported; copy the data"));
  EXPECT_THAT(linked([](ForeignFile& file) { file.link_soft("labels", "labels"); }),
              HasSubstr(nowhere));
  EXPECT_THAT(linked([](ForeignFile& file) {
                file.link_external("other.h5", "/", "other");
                file.link_soft("/other/images", "labels");
              }),
              HasSubstr(nowhere));
  EXPECT_THAT(linked([](ForeignFile& file) { file.link_external("other.h5", "images", "labels"); }),
              HasSubstr("labels is a link to another file"));
}

// xarray and netCDF write such coordinates.
TEST_F(Hdf5Format, skips_coordinates) {
  {
    ForeignFile file(path());
    file.add("pixels", H5T_NATIVE_UINT8, {3, 4, 5, 3});
    file.add("x", H5T_NATIVE_FLOAT, {5});
    file.add("y", H5T_NATIVE_FLOAT, {4});
  }
  EXPECT_EQ(open()->size(), 3U);
  EXPECT_EQ(open()->open_cursor()->read(1).label, kNoLabel);
  {
    ForeignFile file(path());
    file.add("images", H5T_NATIVE_UINT8, {3, 4, 5, 3});
    file.add("y", H5T_NATIVE_INT64, {4});
    file.add("y_train", H5T_NATIVE_INT64, {3});
  }
  EXPECT_EQ(open()->open_cursor()->read(1).label, 1);
  {
    ForeignFile file(path());
    file.add("images", H5T_NATIVE_UINT8, {3, 4, 5, 3});
    file.add("y", H5T_NATIVE_FLOAT, {3});
  }
  EXPECT_THAT(error(), HasSubstr("y: float32 3: expected 3 integers, one per record"));
}

TEST_F(Hdf5Format, lists_datasets_in_groups) {
  {
    ForeignFile file(path());
    file.add_group("cats");
    file.add_group("cats/old");
    for (const char* name : {"cats/1", "cats/2", "cats/old/3"}) {
      file.add(name, H5T_NATIVE_UINT8, {2, 2, 3});
    }
    file.link_hard("cats", "cats/old/again");
  }
  EXPECT_THAT(error(), AllOf(HasSubstr("no records: no dataset holds images; found "
                                       "cats/1: uint8 2×2×3, cats/2: uint8 2×2×3, cats/old/3"),
                             HasSubstr(" more; images must be")));
}

TEST_F(Hdf5Format, refuses_labels_that_are_no_signed_integers_of_64_bits) {
  const std::uint64_t large = (std::uint64_t{1} << 63) + 5;
  const auto labelled = [&](const std::vector<std::uint64_t>& labels) {
    ForeignFile file(path());
    file.add("images", H5T_NATIVE_UINT8, {2, 4, 5, 3});
    file.add_labels("labels", H5T_STD_U64LE, labels);
  };
  labelled({7, large});
  EXPECT_THAT(error(), HasSubstr("record 1: the label 9223372036854775813 is too large; must be "
                                 "below 2^63"));
  labelled({7, (std::uint64_t{1} << 63) - 1});
  EXPECT_EQ(open()->open_cursor()->read(1).label, INT64_MAX);
}

TEST_F(Hdf5Format, refuses_labels_and_keys_that_do_not_match_the_images) {
  {
    ForeignFile file(path());
    file.add("images", H5T_NATIVE_UINT8, {2, 4, 5, 3});
    file.add("labels", H5T_NATIVE_INT64, {2, 10});
  }
  EXPECT_THAT(error(), HasSubstr("labels: int64 2×10: expected 2 integers, one per record"));
  {
    ForeignFile file(path());
    file.add("images", H5T_NATIVE_UINT8, {2, 4, 5, 3});
    file.add("labels", H5T_NATIVE_DOUBLE, {2});
  }
  EXPECT_THAT(error(), HasSubstr("labels: float64 2"));
  {
    ForeignFile file(path());
    file.add("images", H5T_NATIVE_UINT8, {2, 4, 5, 3});
    file.add("keys", H5T_NATIVE_INT64, {2});
  }
  EXPECT_THAT(error(), HasSubstr("keys: int64 2: expected 2 strings"));
}

TEST_F(Hdf5Format, refuses_an_empty_dataset) {
  ForeignFile(path()).add("images", H5T_NATIVE_UINT8, {0, 4, 5, 3});
  EXPECT_THAT(error(), HasSubstr("no records: images: uint8 0×4×5×3 is empty"));
}

TEST_F(Hdf5Format, refuses_claims_that_do_not_fit_in_the_file) {
  // Unwritten chunks take no space, so a small file can claim any size.
  ForeignFile(path()).add("images", H5T_NATIVE_UINT8, {std::uint64_t{1} << 50, 4, 5, 3}, 1, false);
  EXPECT_THAT(error(), HasSubstr("does not fit in a file of"));
  ForeignFile(path()).add("images", H5T_NATIVE_UINT8, {1, 1 << 30, 1 << 30, 3}, 0, false);
  EXPECT_THAT(error(), HasSubstr("does not fit in a file of"));
}

TEST_F(Hdf5Format, reports_hdf5s_message_for_a_damaged_file) {
  write_file(path(), "this is no HDF5 file");
  EXPECT_THAT(error(), HasSubstr("a.h5: cannot open as HDF5: file signature not found"));
  write_file(path(), "");
  EXPECT_THAT(error(), HasSubstr("cannot open as HDF5"));
}

TEST_F(Hdf5Format, refuses_truncated_files) {
  for (const char* name : {"hdf5", "hdf5-decoded", "hdf5-contiguous"}) {
    const Format& format = find_format(name);
    const std::vector records{sample_record(format.payload, "a"),
                              sample_record(format.payload, "b", 1, 1)};
    write_dataset(format, path(), records, options_for(records));
    const std::string whole = read_file(path());
    for (std::size_t length = 0; length < whole.size(); length += 97) {
      write_file(path(), whole.substr(0, length));
      EXPECT_THROW((void)open(), FormatError) << name << " " << length;
    }
    fs::remove(path());
  }
}

TEST_F(Hdf5Format, writes_whole_chunks_and_the_rest) {
  std::vector<OwnedRecord> records;
  for (std::size_t i = 0; i < 7; ++i)
    records.push_back(pixel_record("k" + std::to_string(i), 1, i));
  for (const std::size_t announced : {0U, 7U, 3U, 100U}) {
    WriterOptions options = options_for(records);
    options.records = announced;
    options.chunk = 3;
    write_dataset(find_format("hdf5-decoded"), path(), records, options);
    EXPECT_EQ(read_all(*open()), records) << announced;
    EXPECT_EQ(open()->layout(), "pixels of 4×5×3, chunks of 3×4×5×3");
    fs::remove(path());
  }
}

TEST_F(Hdf5Format, writes_many_encoded_records_of_unknown_number) {
  std::vector<OwnedRecord> records;
  for (std::size_t i = 0; i < 2500; ++i)
    records.push_back({std::to_string(i), fake_image(i, 20 + i % 50), 1});
  write_dataset(find_format("hdf5"), path(), records, {});
  EXPECT_EQ(read_all(*open()), records);
}

TEST_F(Hdf5Format, keeps_thousands_of_class_names) {
  std::vector<std::string> names;
  for (int i = 0; i < 22'000; ++i) names.push_back("class " + std::to_string(i));
  const std::vector records{encoded_record("a", 21'999)};
  write_dataset(find_format("hdf5"), path(), records, options_for(records, names));
  EXPECT_EQ(open()->class_names(), names);
}

TEST_F(Hdf5Format, refuses_unequal_shapes_naming_the_record) {
  const auto writer = find_format("hdf5-decoded").create(path(), {.shape = kSampleShape});
  OwnedRecord other{"odd/one",
                    std::string(27, 'p'),
                    0,
                    Payload::kPixels,
                    {.height = 3, .width = 3, .channels = 3}};
  EXPECT_THAT(message_of<FormatError>([&] { writer->append(other.view()); }),
              AllOf(HasSubstr("record \"odd/one\" is 3×3×3, but the others are 4×5×3"),
                    HasSubstr("add resize/center_crop or use an encoded format")));
}

TEST_F(Hdf5Format, needs_shape_and_count_of_pixels_in_advance) {
  for (const char* name : {"hdf5-decoded", "hdf5-contiguous"}) {
    EXPECT_THAT(
        message_of<ConfigError>([&] { (void)find_format(name).create(path(), {.records = 2}); }),
        HasSubstr("need one shape"));
  }
  EXPECT_THAT(message_of<ConfigError>([&] {
                (void)find_format("hdf5-contiguous").create(path(), {.shape = kSampleShape});
              }),
              HasSubstr("number of records"));
  WriterOptions options{.shape = kSampleShape};
  options.chunk = std::size_t{1} << 40;
  EXPECT_THAT(
      message_of<ConfigError>([&] { (void)find_format("hdf5-decoded").create(path(), options); }),
      HasSubstr("chunk"));
  options.chunk = 0;
  EXPECT_THROW((void)find_format("hdf5-decoded").create(path(), options), ConfigError);
}

TEST_F(Hdf5Format, needs_the_announced_number_of_contiguous_records) {
  const auto two = std::vector{pixel_record("a"), pixel_record("b", 1, 1)};
  WriterOptions options = options_for(two);
  options.records = 3;
  EXPECT_THAT(message_of<FormatError>(
                  [&] { write_dataset(find_format("hdf5-contiguous"), path(), two, options); }),
              HasSubstr("2 records were written, but 3 were announced"));
  options.records = 1;
  EXPECT_THROW(write_dataset(find_format("hdf5-contiguous"), path(), two, options), FormatError);
}

}  // namespace
}  // namespace feedrate::testing
