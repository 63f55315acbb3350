// SPDX-License-Identifier: Apache-2.0
#include "formats/registry.h"

#include "tests/formats/sample_records.h"

namespace feedrate::testing {
namespace {

TEST(Registry, lists_all_formats_when_asked_for_an_unknown_one) {
  EXPECT_EQ(find_format("lmdb").name, "lmdb");
  EXPECT_THAT(
      message_of<ConfigError>([] { (void)find_format("rar"); }),
      AllOf(HasSubstr("\"rar\": unknown format"),
            HasSubstr("folder, tar, lmdb, hdf5, hdf5-decoded, hdf5-contiguous, tfrecord, zip, npy, "
                      "npz, zarr")));
}

TEST(Registry, says_that_a_dataset_is_missing) {
  EXPECT_THAT(message_of<ConfigError>([] { (void)open_dataset("/nowhere/at/all"); }),
              HasSubstr("/nowhere/at/all: no such dataset"));
}

TEST(Registry, refuses_a_file_of_no_known_format) {
  const TempFolder folder;
  write_file(folder / "notes.txt", "hello");
  EXPECT_THAT(message_of<ConfigError>([&] { (void)open_dataset(folder / "notes.txt"); }),
              HasSubstr("unknown dataset format"));
}

TEST(Registry, detects_a_format_by_content_without_a_suffix) {
  const TempFolder folder;
  const std::vector records{encoded_record("a", 1)};
  for (const char* name : {"tar", "hdf5", "tfrecord", "zip"}) {
    const Format& format = find_format(name);
    const auto path = folder / ("x" + std::string(format.suffix));
    write_dataset(format, path, records, options_for(records));
    std::filesystem::rename(path, folder / name);
    EXPECT_EQ(open_dataset(folder / name)->format(), name);
  }
  write_dataset(find_format("lmdb"), folder / "database", records, options_for(records));
  EXPECT_EQ(open_dataset(folder / "database")->format(), "lmdb");
  EXPECT_EQ(open_dataset(folder / "database/data.mdb")->format(), "lmdb");
}

TEST(Registry, takes_a_folder_with_tar_files_and_class_folders_for_a_folder) {
  const TempFolder folder;
  write_file(folder / "data/n01.tar", "left over from a download");
  write_file(folder / "data/n01/a.jpg", fake_image(0, 50));
  EXPECT_EQ(open_dataset(folder / "data")->format(), "folder");
}

}  // namespace
}  // namespace feedrate::testing
