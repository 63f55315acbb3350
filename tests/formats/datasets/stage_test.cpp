// SPDX-License-Identifier: Apache-2.0
#include "formats/datasets/stage.h"

#include <csignal>
#include <cstring>
#include <fstream>

#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "formats/datasets/verify.h"
#include "tests/formats/datasets/small_dataset.h"
#include "tests/support/forked_test.h"
#include "tests/support/scoped_variable.h"

namespace feedrate::testing {
namespace {

namespace fs = std::filesystem;

class Stage : public ::testing::Test {
 protected:
  Stage() { fs::create_directory(local_); }

  [[nodiscard]] StagedDataset stage(const fs::path& dataset, const Job& job = {}) const {
    return stage_dataset(dataset, StagingMode::kCopy, local_, job);
  }
  [[nodiscard]] bool is_nothing_left() const { return fs::is_empty(local_); }

  TempFolder folder_;
  fs::path source_ = make_folder(folder_, small_photos());
  fs::path local_ = folder_ / "local";
};

TEST_F(Stage, copies_a_folder_with_the_same_records_and_removes_it_when_nobody_needs_it) {
  {
    const StagedDataset staged = stage(source_);
    EXPECT_TRUE(
        verify_datasets(*open_dataset(source_), *open_dataset(staged.path), {}).identical());
    EXPECT_GT(staged.bytes, 0U);
    EXPECT_GT(staged.seconds, 0.0);
    const StagedDataset second_user = staged;
    EXPECT_FALSE(is_nothing_left());
  }
  EXPECT_TRUE(is_nothing_left());
  EXPECT_EQ(count_records(source_), 12U);
}

TEST_F(Stage, copies_a_file_with_its_list_of_classes_under_its_name) {
  make_dataset(small_photos(), folder_ / "photos.tar", "tar", {});
  const StagedDataset staged = stage(folder_ / "photos.tar");
  EXPECT_EQ(staged.path.filename(), "photos.tar");
  const auto source = open_dataset(folder_ / "photos.tar");
  const auto copy = open_dataset(staged.path);
  EXPECT_EQ(copy->class_names(), source->class_names());
  EXPECT_TRUE(verify_datasets(*source, *copy, {}).identical());
}

TEST_F(Stage, knows_a_folder_named_with_a_slash_at_its_end) {
  EXPECT_EQ(stage(source_ / "").path.filename(), "source");
}

TEST_F(Stage, makes_a_folder_that_only_this_user_can_enter) {
  const StagedDataset staged = stage(source_);
  struct stat status {};
  ASSERT_EQ(::stat(staged.path.parent_path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
}

TEST_F(Stage, shares_large_files_in_pieces) {
  const fs::path large = folder_ / "large/a.bin";
  write_file(large, "begin");
  fs::resize_file(large, 150'000'000);
  std::ofstream(large, std::ios::binary | std::ios::in | std::ios::ate) << "end";
  std::size_t told = 0;
  const Job job{.threads = 3, .on_advance = [&](std::size_t count) { told += count; }};
  const StagedDataset staged = stage(folder_ / "large", job);
  EXPECT_EQ(staged.bytes, 150'000'003U);
  EXPECT_EQ(told, 1U);
  std::ifstream copy(staged.path / "a.bin", std::ios::binary);
  std::string begin(5, '\0'), end(3, '\0');
  copy.read(begin.data(), 5).seekg(-3, std::ios::end).read(end.data(), 3);
  EXPECT_EQ(begin + end, "beginend");
}

TEST_F(Stage, copies_a_link_within_the_dataset_as_the_file_that_it_names) {
  write_file(folder_ / "data/a.bin", "abc");
  fs::create_symlink("a.bin", folder_ / "data/b.bin");
  const StagedDataset staged = stage(folder_ / "data");
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(staged.path / "b.bin")));
  EXPECT_EQ(read_file(staged.path / "b.bin"), "abc");
}

TEST_F(Stage, follows_no_link_out_of_the_dataset) {
  write_file(folder_ / "secret", "abc");
  write_file(folder_ / "data/a.bin", "abc");
  fs::create_symlink(folder_ / "secret", folder_ / "data/b.bin");
  EXPECT_THAT([&] { static_cast<void>(stage(folder_ / "data")); },
              ThrowsMessage<FormatError>(
                  AllOf(HasSubstr("data/b.bin: is a symbolic link out of"), HasSubstr("secret"))));
  EXPECT_TRUE(is_nothing_left());
}

TEST_F(Stage, takes_no_link_to_a_folder_and_nothing_that_is_no_file) {
  fs::create_directories(folder_ / "linked/inner");
  fs::create_directory_symlink("inner", folder_ / "linked/link");
  EXPECT_THROW(static_cast<void>(stage(folder_ / "linked")), FormatError);
  fs::create_directories(folder_ / "pipes");
  ASSERT_EQ(::mkfifo((folder_ / "pipes/fifo").c_str(), 0600), 0);
  EXPECT_THAT(
      [&] { static_cast<void>(stage(folder_ / "pipes")); },
      ThrowsMessage<FormatError>(HasSubstr("fifo: cannot be staged; must be a file or a folder")));
}

TEST_F(Stage, removes_what_was_copied_when_it_is_stopped) {
  std::stop_source stop;
  Job job{.threads = 1, .stop = stop.get_token()};
  job.on_advance = [&](std::size_t) { stop.request_stop(); };
  for (int i = 0; i < 200; ++i) {
    write_file(folder_ / "many" / std::to_string(i), std::string(100'000, 'x'));
  }
  EXPECT_THROW(static_cast<void>(stage(folder_ / "many", job)), Cancelled);
  EXPECT_TRUE(is_nothing_left());
}

// Simulates a full disk by a limit on file sizes.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    before_handler_ = ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, before_handler_);
  }

 private:
  rlimit before_{};
  sighandler_t before_handler_;
};

TEST_F(Stage, removes_what_was_copied_when_the_disk_is_full) {
  write_file(folder_ / "data/a", std::string(1'000, 'x'));
  write_file(folder_ / "data/b", std::string(3'000'000, 'x'));
  const FileSizeLimit limit(1 << 20);
  EXPECT_THAT([&] { static_cast<void>(stage(folder_ / "data")); },
              ThrowsMessage<SystemError>(HasSubstr("data/b: cannot write: File too large")));
  EXPECT_TRUE(is_nothing_left());
}

// Mounts a disk of 4 MB; skipped without the privilege to mount.
TEST_F(Stage, refuses_a_disk_that_is_too_small_before_it_copies) {
  if (::mount("none", local_.c_str(), "tmpfs", 0, "size=4m") != 0) {
    GTEST_SKIP() << "a small tmpfs cannot be mounted: " << std::strerror(errno);
  }
  write_file(folder_ / "data/a", std::string(6'000'000, 'x'));
  EXPECT_THAT([&] { static_cast<void>(stage(folder_ / "data")); },
              ThrowsMessage<ConfigError>(
                  AllOf(HasSubstr("has 4.19 MB free"), HasSubstr("the dataset needs 6"))));
  EXPECT_TRUE(is_nothing_left());
  ::umount(local_.c_str());
}

TEST_F(Stage, needs_a_folder_that_it_can_write_to) {
  EXPECT_THAT(
      [&] {
        static_cast<void>(stage_dataset(source_, StagingMode::kCopy, folder_ / "nowhere", {}));
      },
      ThrowsMessage<ConfigError>(HasSubstr("dataset.staging_folder")));
}

TEST_F(Stage, removes_what_a_killed_process_has_left_and_nothing_that_is_in_use) {
  const ScopedVariable tmp("TMPDIR", local_.string());
  const ScopedVariable slurm("SLURM_TMPDIR", "");
  const StagedDataset staged = stage(source_);
  const fs::path left = run_forked([this] {
    return (new StagedDataset(stage(source_)))->path.string();  // Its destructor never runs.
  });
  ASSERT_TRUE(fs::exists(left));
  write_file(local_ / "mine/a", "not staged");
  remove_stale_copies();
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(local_ / "mine/a"));
  EXPECT_EQ(count_records(staged.path), 12U);
}

TEST(StagingSpace, has_to_hold_whole_blocks_of_each_file) {
  const std::vector<StagedFile> files{{"a", "a", 1}, {"b", "b", 4097}};
  EXPECT_THAT(why_no_space(files, {.bytes = 3 * 4096}, "/scratch"), IsEmpty());
  EXPECT_THAT(
      why_no_space(files, {.bytes = 3 * 4096 - 1}, "/scratch"),
      AllOf(HasSubstr("/scratch: has 0.0123 MB free"), HasSubstr("dataset.staging_folder")));
  EXPECT_THAT(why_no_space(files, {.files = 1}, "/scratch"),
              HasSubstr("has 1 free inodes; the dataset has 2 files"));
  EXPECT_THAT(why_no_space(files, {.memory = 4096}, "/dev/shm"),
              HasSubstr("of memory are available"));
}

TEST(StagingFolderByDefault, is_local_to_the_job) {
  EXPECT_EQ(default_staging_folder(StagingMode::kRam), "/dev/shm");
}

}  // namespace
}  // namespace feedrate::testing
