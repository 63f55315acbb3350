// SPDX-License-Identifier: Apache-2.0
#include "tests/program/workspace.h"

namespace feedrate::testing {
namespace {

using Data = Workspace;

TEST_F(Data, make_writes_a_dataset_and_says_what) {
  const Finished done = succeeds("data make ds --count 16");
  EXPECT_THAT(done.out, AllOf(HasSubstr("ds: 16 images in 10 classes"), HasSubstr("as folder")));
  EXPECT_THAT(done.err, IsEmpty());
  EXPECT_THAT(listing(), ElementsAre("ds"));
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

TEST_F(Data, zarr_takes_chunk_codec_and_version) {
  prepare("data make ds.zarr --count 9 --size 8 --chunk 4 --codec zstd");
  EXPECT_THAT(feedrate("data info ds.zarr").out,
              HasSubstr("zarr (Zarr 3, pixels of 8×8×3, chunks of 4, zstd)"));
  prepare("data convert ds.zarr old.zarr --chunk 2 --codec gzip --zarr-format 2");
  EXPECT_THAT(feedrate("data info old.zarr").out,
              HasSubstr("zarr (Zarr 2, pixels of 8×8×3, chunks of 2, gzip)"));
  prepare("data verify ds.zarr old.zarr");
  refuses("data convert ds.zarr x.zarr --codec lzma",
          {"--codec: lzma not in {none,gzip,zstd,blosc-lz4,blosc-zstd}"});
}

TEST_F(Data, convert_leaves_an_existing_target_alone) {
  make_images();
  write("x.tar", "precious");
  refuses("data convert ds x.tar", {"x.tar: exists", "another name"});
  EXPECT_EQ(read("x.tar"), "precious");
  EXPECT_THAT(listing(), ElementsAre("ds", "x.tar"));
}

TEST_F(Data, a_strict_convert_fails_on_what_cannot_be_decoded_and_leaves_nothing) {
  make_images();
  cut_in_half("ds/cat/0000003.png");
  fails("data convert ds x.tar --strict", {"ds/cat/0000003.png: record 6"});
  EXPECT_THAT(listing(), ElementsAre("ds"));
}

}  // namespace
}  // namespace feedrate::testing
