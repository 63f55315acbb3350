// SPDX-License-Identifier: Apache-2.0
#include "formats/datasets/cache.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <latch>
#include <thread>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/error.h"
#include "formats/datasets/verify.h"
#include "tests/formats/datasets/small_dataset.h"
#include "tests/support/forked_test.h"

namespace feedrate::testing {
namespace {

class Cache : public ::testing::Test {
 protected:
  [[nodiscard]] PreparedDataset prepare(const std::string& format) const {
    return prepare_dataset(source_, format, {});
  }

  TempFolder folder_;
  std::filesystem::path source_ = make_folder(folder_, small_photos());
  std::filesystem::path cache_ = folder_ / "source.feedrate";
};

TEST_F(Cache, leaves_a_dataset_that_is_in_the_wanted_format_where_it_is) {
  const PreparedDataset prepared = prepare("folder");
  EXPECT_EQ(prepared.path, source_);
  EXPECT_FALSE(prepared.converted);
  EXPECT_FALSE(std::filesystem::exists(cache_));
}

TEST_F(Cache, converts_into_every_other_format_beside_the_dataset) {
  for (const Format& format : formats()) {
    if (format.name == "folder" || !payload_in(format, Payload::kEncoded)) continue;
    const PreparedDataset prepared = prepare(std::string(format.name));
    EXPECT_TRUE(prepared.converted);
    EXPECT_EQ(prepared.path,
              cache_ / std::string(format.name) / ("source" + std::string(format.suffix)));
    const auto copy = open_dataset(prepared.path);
    EXPECT_EQ(copy->format(), format.name);
    EXPECT_TRUE(verify_datasets(*open_dataset(source_), *copy, {}).identical());
  }
}

TEST_F(Cache, has_a_copy_for_each_length_and_codec_of_chunks) {
  const auto copy_with = [&](const std::string& format, const CopyOptions& options) {
    return prepare_dataset(source_, format, {}, options);
  };
  const PreparedDataset plain = copy_with("zarr", {.chunk = 4});
  EXPECT_EQ(plain.path, cache_ / "zarr-chunk-4/source.zarr");
  EXPECT_THAT(open_dataset(plain.path)->layout(), EndsWith("chunks of 4"));
  const PreparedDataset packed = copy_with("zarr", {.chunk = 4, .codec = "zstd"});
  EXPECT_EQ(packed.path, cache_ / "zarr-chunk-4-zstd/source.zarr");
  EXPECT_THAT(open_dataset(packed.path)->layout(), HasSubstr("chunks of 4, zstd"));
  EXPECT_FALSE(copy_with("zarr", {.chunk = 4}).converted);
  EXPECT_THAT(open_dataset(copy_with("hdf5-decoded", {.chunk = 3}).path)->layout(),
              HasSubstr("chunks of 3×"));
  source_ = plain.path;
  EXPECT_EQ(prepare("zarr").path, source_);
  EXPECT_NE(copy_with("zarr", {.codec = "gzip"}).path, source_);
}

TEST_F(Cache, reuses_what_was_converted_before) {
  ASSERT_TRUE(prepare("tar").converted);
  const PreparedDataset again = prepare("tar");
  EXPECT_FALSE(again.converted);
  EXPECT_EQ(count_records(again.path), 12U);
  EXPECT_THAT(again.skipped, IsEmpty());
}

TEST_F(Cache, finds_the_copy_by_a_path_with_a_trailing_slash) {
  ASSERT_TRUE(prepare("tar").converted);
  EXPECT_FALSE(prepare_dataset(source_ / "", "tar", {}).converted);
}

TEST_F(Cache, converts_again_when_a_file_was_added) {
  ASSERT_TRUE(prepare("tar").converted);
  std::filesystem::copy_file(source_ / "bird/0000005.jpg", source_ / "bird/more.jpg");
  const PreparedDataset again = prepare("tar");
  EXPECT_TRUE(again.converted);
  EXPECT_EQ(count_records(again.path), 13U);
}

TEST_F(Cache, converts_again_when_a_file_was_replaced_by_one_of_equal_size) {
  ASSERT_TRUE(prepare("tar").converted);
  const auto file = source_ / "bird/0000005.jpg";
  std::filesystem::last_write_time(file,
                                   std::filesystem::last_write_time(file) - std::chrono::hours(1));
  EXPECT_TRUE(prepare("tar").converted);
  EXPECT_FALSE(prepare("tar").converted);
}

TEST_F(Cache, converts_again_when_only_the_labels_changed) {
  write_file(source_ / "labels.csv", "filename,label\nbird/0000005.jpg,1\n");
  ASSERT_TRUE(prepare("lmdb").converted);
  write_file(source_ / "labels.csv", "filename,label\nbird/0000005.jpg,22\n");
  const PreparedDataset again = prepare("lmdb");
  EXPECT_TRUE(again.converted);
  EXPECT_EQ(open_dataset(again.path)->open_cursor()->read(0).label, 22);
}

TEST_F(Cache, lists_skipped_records_each_time) {
  cut_in_half(source_ / "bird/0000005.jpg");
  const PreparedDataset first = prepare("tar");
  const PreparedDataset again = prepare("tar");
  EXPECT_TRUE(first.converted);
  EXPECT_FALSE(again.converted);
  EXPECT_THAT(first.skipped, ElementsAre(HasSubstr("bird/0000005.jpg: record 9")));
  EXPECT_EQ(again.skipped, first.skipped);
  EXPECT_EQ(count_records(again.path), 11U);
}

TEST_F(Cache, leaves_nothing_when_it_is_interrupted) {
  std::stop_source stop;
  const Job job{
      .threads = 2, .stop = stop.get_token(), .on_start = {}, .on_advance = [&](std::size_t) {
        stop.request_stop();
      }};
  EXPECT_THROW((void)prepare_dataset(source_, "tar", job), Cancelled);
  EXPECT_FALSE(std::filesystem::exists(cache_));
  EXPECT_TRUE(prepare("tar").converted);
}

TEST_F(Cache, keeps_the_older_copies_when_a_conversion_fails) {
  ASSERT_TRUE(prepare("tar").converted);
  MakeOptions other = small_photos(1);
  other.size = ImageSize{8, 8};
  std::filesystem::copy_file(make_folder(folder_, other, "odd") / "airplane/0000000.jpg",
                             source_ / "bird/odd.jpg");
  EXPECT_THAT([&] { (void)prepare("hdf5-decoded"); },
              ThrowsMessage<FormatError>(HasSubstr("bird/odd.jpg")));
  EXPECT_THAT(names_in(cache_), ElementsAre("tar"));
}

TEST_F(Cache, removes_leftovers_of_a_killed_conversion) {
  run_forked([this]() -> std::string {
    const Job job{
        .threads = 1, .stop = {}, .on_start = {}, .on_advance = [](std::size_t) { ::_exit(0); }};
    return prepare_dataset(source_, "tar", job).path;
  });
  ASSERT_THAT(names_in(cache_), UnorderedElementsAre("tar.lock", StartsWith(".tar.part-")));
  EXPECT_TRUE(prepare("tar").converted);
  EXPECT_THAT(names_in(cache_), ElementsAre("tar"));
  EXPECT_THAT(names_in(cache_ / "tar"),
              UnorderedElementsAre("source.tar", "source.tar.classes.txt", "source.txt"));
}

TEST_F(Cache, converts_once_when_two_ask_at_the_same_time) {
  std::latch first_is_converting(1);
  std::atomic<int> conversions = 0;
  const auto ask = [&] {
    const Job job{.threads = 1,
                  .stop = {},
                  .on_start =
                      [&](std::string_view, std::size_t) {
                        if (++conversions == 1) first_is_converting.count_down();
                      },
                  .on_advance = {}};
    const PreparedDataset prepared = prepare_dataset(source_, "tar", job);
    EXPECT_EQ(count_records(prepared.path), 12U);
  };
  std::jthread first(ask);
  first_is_converting.wait();
  ask();
  first.join();
  EXPECT_EQ(conversions, 1);
}

TEST_F(Cache, says_how_to_convert_if_it_is_not_writable) {
  write_file(cache_, "a file where the folder should be");
  EXPECT_THAT([&] { (void)prepare("tar"); },
              ThrowsMessage<ConfigError>(AllOf(
                  HasSubstr(cache_.string() + ": cannot create folder"),
                  HasSubstr("feedrate data convert " + source_.string() + " DST --format tar"))));
}

TEST_F(Cache, refuses_an_unknown_format_and_lists_the_known_ones) {
  EXPECT_THAT([&] { (void)prepare("rar"); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("\"rar\""), HasSubstr("lmdb"))));
}

/// Makes flock() fail with ENOSYS in this process, as on a filesystem without locks.
void forbid_flock() {
  std::array<sock_filter, 4> program{
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_flock, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter{program.size(), program.data()};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) throw Error("no seccomp here");
}

TEST_F(Cache, is_filled_where_the_file_system_has_no_locks) {
  EXPECT_EQ(run_forked([this] {
              forbid_flock();
              return std::string(prepare("tar").converted ? "converted" : "not");
            }),
            "converted");
  EXPECT_EQ(count_records(cache_ / "tar/source.tar"), 12U);
}

TEST_F(Cache, of_another_user_is_refused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder to another user";
  constexpr uid_t kOther = 4711;
  ASSERT_TRUE(prepare("tar").converted);
  for (const std::filesystem::path& folder : {cache_, cache_ / "tar"}) {
    ASSERT_EQ(::chown(folder.c_str(), kOther, kOther), 0);
    EXPECT_THAT([&] { static_cast<void>(prepare("tar")); },
                ThrowsMessage<ConfigError>(AllOf(HasSubstr(folder.string() + ": belongs to"),
                                                 HasSubstr("feedrate data convert"))));
    ASSERT_EQ(::chown(folder.c_str(), 0, 0), 0);
  }
  EXPECT_FALSE(prepare("tar").converted);
}

}  // namespace
}  // namespace feedrate::testing
