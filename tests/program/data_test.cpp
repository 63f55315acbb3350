// SPDX-License-Identifier: Apache-2.0
#include "tests/program/workspace.h"

namespace feedrate::testing {
namespace {

using Data = Workspace;

TEST_F(Data, make_writes_a_dataset_and_says_what) {
  const Finished done = feedrate("data make ds --count 16");
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.out, AllOf(HasSubstr("ds: 16 images in 10 classes"), HasSubstr("as folder")));
  EXPECT_THAT(done.err, IsEmpty());
  EXPECT_THAT(listing(), ElementsAre("ds"));
}

TEST_F(Data, make_with_the_same_seed_makes_the_same_bytes) {
  make_images("--seed 3");
  prepare("data make again.tar --count 16 --seed 3");
  prepare("data make other --count 16 --seed 4");
  EXPECT_EQ(feedrate("data verify ds again.tar").exit_code, 0);
  EXPECT_EQ(feedrate("data verify ds other").exit_code, 1);
}

TEST_F(Data, make_takes_size_and_encoding) {
  make_images("--size 40x24 --encoding jpeg");
  EXPECT_THAT(feedrate("data info ds").out, AllOf(HasSubstr("40×24"), HasSubstr("JPEG 100.0 %")));
}

TEST_F(Data, info_says_how_to_name_the_dataset_in_a_configuration) {
  make_images("--format lmdb");
  const Finished done = feedrate("data info ds");
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.out, AllOf(HasSubstr("records   16"), HasSubstr("all 32×32"),
                              HasSubstr("dataset: {path: ds, format: lmdb}")));
}

TEST_F(Data, ignored_files_of_a_folder_are_reported_by_all_commands) {
  make_images();
  write("ds/cat/a.webp", "x");
  write("ds/cat/b.WEBP", "x");
  write("ds/beside.png", "x");
  const char* left_out = "2 .webp, 1 file outside the class folders";
  EXPECT_THAT(feedrate("data info ds").out, HasSubstr(left_out));
  EXPECT_THAT(feedrate("data convert ds a.tar").err, HasSubstr(left_out));
  write("s.yaml", sweep_config("path: ds, format: tar"));
  EXPECT_THAT(feedrate("plan s.yaml").err, HasSubstr(left_out));
  prepare("sweep s.yaml --out results");
  EXPECT_THAT(read("results/table.md"), HasSubstr(left_out));
}

TEST_F(Data, images_that_labels_csv_does_not_list_are_counted) {
  make_images("--encoding jpeg");
  write("ds/labels.csv", "filename,label\ncat/0000003.jpg,0\n");
  const char* left_out = "15 files that labels.csv does not list";
  EXPECT_THAT(feedrate("data info ds").out, HasSubstr(left_out));
  EXPECT_THAT(feedrate("data convert ds a.tar").err, HasSubstr(left_out));
}

TEST_F(Data, info_names_what_is_damaged) {
  make_images("--encoding jpeg");
  cut_in_half("ds/cat/0000003.jpg");
  const Finished done = feedrate("data info ds");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("cat/0000003.jpg"));
}

class Conversion : public Workspace, public ::testing::WithParamInterface<const char*> {};

TEST_P(Conversion, keeps_every_record_there_and_back) {
  make_images();
  prepare(fmt::format("data convert ds there --format {}", GetParam()));
  prepare("data convert there back --format folder");
  const Finished there = feedrate("data verify ds there");
  EXPECT_EQ(there.exit_code, 0) << there.out;
  EXPECT_THAT(there.out, AllOf(HasSubstr("16  with identical"), HasSubstr("\nidentical\n")));
  EXPECT_EQ(feedrate("data verify ds back").exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(Data, Conversion,
                         ::testing::Values("folder", "tar", "lmdb", "hdf5", "hdf5-decoded",
                                           "hdf5-contiguous", "tfrecord", "zip", "npy"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_F(Data, convert_tells_the_format_by_the_suffix) {
  make_images();
  EXPECT_THAT(feedrate("data convert ds x.tar").out, HasSubstr("as tar"));
  EXPECT_THAT(feedrate("data convert ds x.lmdb").out, HasSubstr("as lmdb"));
  EXPECT_THAT(feedrate("data convert ds x.h5").out, HasSubstr("as hdf5"));
  EXPECT_THAT(feedrate("data convert ds x.tfrecord").out, HasSubstr("as tfrecord"));
  EXPECT_THAT(feedrate("data convert ds x.zip").out, HasSubstr("as zip"));
}

TEST_F(Data, zarr_takes_chunk_codec_and_version) {
  prepare("data make ds.zarr --count 9 --size 8 --chunk 4 --codec zstd");
  EXPECT_THAT(feedrate("data info ds.zarr").out,
              HasSubstr("zarr (Zarr 3, pixels of 8×8×3, chunks of 4, zstd)"));
  prepare("data convert ds.zarr old.zarr --chunk 2 --codec gzip --zarr-format 2");
  EXPECT_THAT(feedrate("data info old.zarr").out,
              HasSubstr("zarr (Zarr 2, pixels of 8×8×3, chunks of 2, gzip)"));
  EXPECT_EQ(feedrate("data verify ds.zarr old.zarr").exit_code, 0);
  const Finished refused = feedrate("data convert ds.zarr x.zarr --codec lzma");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--codec: lzma not in {none,gzip,zstd,blosc-lz4,blosc-zstd}"));
}

TEST_F(Data, convert_leaves_an_existing_target_alone) {
  make_images();
  write("x.tar", "precious");
  const Finished done = feedrate("data convert ds x.tar");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, AllOf(HasSubstr("x.tar: exists"), HasSubstr("another name")));
  EXPECT_EQ(read("x.tar"), "precious");
  EXPECT_THAT(listing(), ElementsAre("ds", "x.tar"));
}

TEST_F(Data, make_leaves_an_existing_target_alone) {
  write("ds/file", "precious");
  const Finished done = feedrate("data make ds --count 16");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("ds: exists"));
  EXPECT_EQ(read("ds/file"), "precious");
}

TEST_F(Data, convert_names_and_skips_records_that_cannot_be_decoded) {
  make_images();
  cut_in_half("ds/cat/0000003.png");
  const Finished done = feedrate("data convert ds x.tar");
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.out, HasSubstr("15 of 16 records"));
  EXPECT_THAT(done.err, AllOf(HasSubstr("1 record skipped"), HasSubstr("ds/cat/0000003.png")));
}

TEST_F(Data, a_strict_convert_fails_on_what_cannot_be_decoded_and_leaves_nothing) {
  make_images();
  cut_in_half("ds/cat/0000003.png");
  const Finished done = feedrate("data convert ds x.tar --strict");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("ds/cat/0000003.png: record 6"));
  EXPECT_THAT(listing(), ElementsAre("ds"));
}

TEST_F(Data, verify_names_the_record_that_differs) {
  make_images();
  prepare("data convert ds copy");
  std::filesystem::copy_file(path("ds/dog/0000005.png"), path("copy/cat/0000003.png"),
                             std::filesystem::copy_options::overwrite_existing);
  const Finished done = feedrate("data verify ds copy");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.out, AllOf(HasSubstr("15  with identical bytes"), HasSubstr("1  different"),
                              HasSubstr("cat/0000003"), HasSubstr("NOT identical")));
}

TEST_F(Data, verify_names_the_record_that_is_missing) {
  make_images();
  prepare("data convert ds copy");
  std::filesystem::remove(path("copy/cat/0000003.png"));
  const Finished done = feedrate("data verify ds copy");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.out, AllOf(HasSubstr("1  only in A"), HasSubstr("cat/0000003")));
}

TEST_F(Data, a_dataset_that_is_not_there_is_named) {
  const Finished done = feedrate("data info nothing");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("nothing: no such dataset"));
}

TEST_F(Data, an_unknown_preset_lists_the_known_ones) {
  const Finished done = feedrate("data make ds --preset mnist-like");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, AllOf(HasSubstr("mnist-like"), HasSubstr("cifar10-like, imagenet-like")));
  EXPECT_THAT(listing(), IsEmpty());
}

TEST_F(Data, a_size_that_is_none_is_named) {
  const Finished done = feedrate("data make ds --size 32by32");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, AllOf(HasSubstr("--size 32by32"), HasSubstr("WIDTHxHEIGHT")));
}

}  // namespace
}  // namespace feedrate::testing
