// SPDX-License-Identifier: Apache-2.0
// Damaged datasets and full disks: the message names the faulty file, the sweep continues, and no
// measurement is lost.
#include <hdf5.h>

#include "analysis/report/csv.h"
#include "analysis/report/load_run.h"
#include "tests/program/workspace.h"

namespace feedrate::testing {
namespace {

class Damage : public Workspace {
 protected:
  // Sweeps the dataset "bad", whose only cell fails.
  std::string reason_of_failure() const {
    write("s.yaml", sweep_config("path: bad"));
    const Finished done = feedrate("sweep s.yaml --out results");
    EXPECT_EQ(done.exit_code, 1);
    const RunResult run = read_cells_csv(path("results/cells.csv"));
    EXPECT_EQ(run.cells.size(), 1U);
    const CellResult& cell = run.cells.front();
    EXPECT_EQ(cell.outcome, Outcome::kFailed);
    EXPECT_THAT(done.err, HasSubstr("failed: " + cell.reason));
    EXPECT_THAT(done.out, HasSubstr(cell.reason));
    EXPECT_EQ(load_run(path("results")).cells.front().reason, cell.reason);
    return cell.reason;
  }

  void truncate(std::string_view name, std::uintmax_t size) const {
    std::filesystem::resize_file(path(name), size);
  }
};

TEST_F(Damage, an_empty_folder_has_no_records) {
  std::filesystem::create_directory(path("bad"));
  EXPECT_THAT(reason_of_failure(), AllOf(HasSubstr("bad: no records"), HasSubstr(".png")));
}

TEST_F(Damage, a_truncated_tar_is_named_with_its_offset) {
  make_images();
  prepare("data convert ds bad --format tar");
  const std::string shard = std::filesystem::is_directory(path("bad"))
                                ? "bad/" + listing("bad").front()
                                : std::string("bad");
  truncate(shard, 20480 + 512);  // between a member's header and its data
  EXPECT_THAT(reason_of_failure(),
              AllOf(HasSubstr(shard + ": "), HasSubstr("byte 20"), HasSubstr("truncated")));
}

TEST_F(Damage, a_truncated_lmdb_is_named) {
  make_images();
  prepare("data convert ds bad --format lmdb");
  truncate("bad/data.mdb", 8192);
  EXPECT_THAT(reason_of_failure(),
              AllOf(HasSubstr("bad/data.mdb: byte 8192"), HasSubstr("truncated")));
}

TEST_F(Damage, an_lmdb_of_garbage_is_named) {
  write("bad/data.mdb", std::string(100'000, '\xA5'));
  EXPECT_THAT(reason_of_failure(),
              AllOf(HasSubstr("bad/data.mdb: byte 0"), HasSubstr("not an LMDB")));
}

TEST_F(Damage, a_truncated_hdf5_is_named) {
  make_images();
  prepare("data convert ds x.h5");
  std::filesystem::rename(path("x.h5"), path("bad"));
  cut_in_half("bad");
  EXPECT_THAT(reason_of_failure(), HasSubstr("bad: "));
}

TEST_F(Damage, an_hdf5_without_images_says_what_it_holds_and_what_is_expected) {
  const hid_t file = H5Fcreate(path("bad").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t size = 3;
  const hid_t space = H5Screate_simple(1, &size, nullptr);
  H5Dclose(
      H5Dcreate2(file, "weights", H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space);
  ASSERT_GE(H5Fclose(file), 0);
  EXPECT_THAT(reason_of_failure(), AllOf(HasSubstr("bad: "), HasSubstr("weights"),
                                         HasSubstr("images"), HasSubstr("N×H×W×3")));
}

class HalfAJpeg : public Damage {
 protected:
  void SetUp() override {
    make_images("--encoding jpeg --size 128");  // the first half has the whole header
    cut_in_half("ds/cat/0000003.jpg");
  }
};

TEST_F(HalfAJpeg, fails_its_cell_by_file_and_record_and_the_others_go_on) {
  write("s.yaml", sweep_config("path: ds", "num_workers: [0, 1]"));
  const Finished done = feedrate("sweep s.yaml --out results --axis batch_size=4,1");
  EXPECT_EQ(done.exit_code, 1);
  const RunResult run = read_cells_csv(path("results/cells.csv"));
  for (const CellResult& cell : run.cells) {
    EXPECT_EQ(cell.outcome, Outcome::kFailed);
    EXPECT_THAT(cell.reason, HasSubstr("ds/cat/0000003.jpg: record 6: "));
    EXPECT_EQ(find_metric(cell.metrics, "samples_per_second"), nullptr);
  }
  EXPECT_EQ(run.cells.size(), 4U);
}

TEST_F(HalfAJpeg, makes_formats_incomparable) {
  write("s.yaml", sweep_config("path: ds, format: [folder, tar]"));
  const Finished done = feedrate("sweep s.yaml --out results");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, AllOf(HasSubstr("ds: 1 record cannot be decoded"),
                              HasSubstr("feedrate data convert ds CLEAN")));
  prepare("data convert ds clean");
  write("s.yaml", sweep_config("path: clean, format: [folder, tar]"));
  prepare("sweep s.yaml --out results");
}

TEST_F(HalfAJpeg, is_damaged_for_info_as_it_is_for_convert) {
  const Finished info = feedrate("data info ds");
  EXPECT_EQ(info.exit_code, 1);
  EXPECT_THAT(info.err, HasSubstr("1 record damaged"));
  EXPECT_THAT(feedrate("data convert ds clean").err, HasSubstr("1 record skipped"));
}

TEST_F(HalfAJpeg, is_named_when_the_copy_in_another_format_lacks_it) {
  write("s.yaml", sweep_config("path: ds, format: tar"));
  const Finished done = feedrate("sweep s.yaml --out results");
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.err, AllOf(HasSubstr("lacks 1 record"), HasSubstr("ds/cat/0000003.jpg")));
}

TEST_F(HalfAJpeg, is_skipped_and_named_if_the_configuration_says_so) {
  write("s.yaml", sweep_config("path: ds, skip_damaged: true"));
  const Finished done = feedrate("sweep s.yaml --out results");
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.err, AllOf(HasSubstr("1 record damaged"), HasSubstr("ds/cat/0000003.jpg")));
}

class FullDisk : public Workspace {
 protected:
  Finished feedrate_with(std::uint64_t largest_file, std::string_view line) const {
    ChildSetup setup = this->setup();
    setup.largest_file = largest_file;
    return run_feedrate(line, setup);
  }
};

TEST_F(FullDisk, while_results_are_written_keeps_the_last_complete_files_and_prints_the_rest) {
  make_images();
  write("s.yaml", sweep_config("path: ds", "batch_size: [1, 2, 4, 8], num_workers: [0, 1]"));
  prepare("sweep s.yaml --out whole");
  const auto whole = std::filesystem::file_size(path("whole/run.json"));
  const Finished done = feedrate_with(whole * 7 / 10, "sweep s.yaml --out results");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, AllOf(HasSubstr("results/run.json"), HasSubstr("cannot write"),
                              HasSubstr("File too large")));
  EXPECT_THAT(done.out, HasSubstr("samples_per_second"));
  EXPECT_THAT(listing("results"), IsSupersetOf({"cells.csv", "run.json", "table.md"}));
  EXPECT_THAT(listing("results"), Each(Not(EndsWith(".tmp"))));
  const RunResult kept = load_run(path("results"));
  EXPECT_EQ(kept.cells.size(), 8U);
  EXPECT_TRUE(kept.interrupted);
  EXPECT_EQ(read_cells_csv(path("results/cells.csv")).cells.size(), 8U);
}

TEST_F(FullDisk, is_noticed_before_the_dataset_is_made) {
  write("s.yaml", sweep_config("path: ds, make: {preset: cifar10-like, count: 16}"));
  const Finished done = feedrate_with(100, "sweep s.yaml --out results");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("results/run.json"));
  EXPECT_FALSE(exists("ds"));
}

class FullDiskOf : public FullDisk, public ::testing::WithParamInterface<const char*> {};

TEST_P(FullDiskOf, convert_names_the_file_and_leaves_nothing) {
  make_images();
  const Finished done =
      feedrate_with(1500, fmt::format("data convert ds copy --format {}", GetParam()));
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("copy"));
  EXPECT_THAT(listing(), ElementsAre("ds"));
}

INSTANTIATE_TEST_SUITE_P(Formats, FullDiskOf,
                         ::testing::Values("folder", "tar", "lmdb", "hdf5", "hdf5-decoded",
                                           "hdf5-contiguous", "tfrecord", "zip", "npy"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace feedrate::testing
