// SPDX-License-Identifier: Apache-2.0
#include "core/host/durable_file.h"

#include <array>
#include <string_view>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/unique_fd.h"
#include "tests/support/golden.h"
#include "tests/support/message_of.h"

namespace feedrate {
namespace {

TEST(ReplaceFile, leaves_the_new_content_and_no_temporary_file) {
  const std::filesystem::path folder = fresh_folder();
  replace_file(folder / "a.txt", "first");
  replace_file(folder / "a.txt", "second");
  EXPECT_EQ(read_whole_file(folder / "a.txt"), "second");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.txt.tmp"));
}

TEST(ReplaceFile, names_the_file_it_cannot_write) {
  const std::filesystem::path folder = fresh_folder() / "missing";
  EXPECT_EQ(testing::message_of<SystemError>([&] { replace_file(folder / "a.txt", "x"); }),
            (folder / "a.txt.tmp").string() + ": cannot open: No such file or directory");
}

TEST(ReplaceFile, writes_in_place_to_a_file_that_is_not_regular) {
  const std::filesystem::path folder = fresh_folder();
  const std::filesystem::path fifo = folder / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const UniqueFd reader(::open(fifo.c_str(), O_RDONLY | O_NONBLOCK));
  ASSERT_GE(reader.get(), 0);
  std::filesystem::create_symlink(fifo, folder / "link");  // /dev/stdout is a link, too.
  touch_file(folder / "link");
  replace_file(folder / "link", "text");
  std::array<char, 8> got{};
  EXPECT_EQ(::read(reader.get(), got.data(), got.size()), 4);
  EXPECT_EQ(std::string_view(got.data(), 4), "text");
  EXPECT_TRUE(std::filesystem::is_fifo(fifo));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
}

TEST(ReplaceFile, replaces_the_target_of_a_link) {
  const std::filesystem::path folder = fresh_folder();
  std::filesystem::create_directory(folder / "far");
  std::filesystem::create_symlink("far/b.txt", folder / "a.txt");
  for (const char* const text : {"created", "replaced"}) {
    replace_file(folder / "a.txt", text);
    EXPECT_EQ(read_whole_file(folder / "far/b.txt"), text);
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "a.txt"));
  }
}

TEST(ReplaceFile, does_not_write_through_a_link_at_the_temporary_name) {
  const std::filesystem::path folder = fresh_folder();
  replace_file(folder / "victim", "precious");
  std::filesystem::create_symlink("victim", folder / "a.txt.tmp");
  replace_file(folder / "a.txt", "text");
  EXPECT_EQ(read_whole_file(folder / "victim"), "precious");
  EXPECT_EQ(read_whole_file(folder / "a.txt"), "text");
}

TEST(ReplaceFile, keeps_the_permissions) {
  const std::filesystem::path path = fresh_folder() / "secret";
  constexpr auto kMine = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
  replace_file(path, "first");
  std::filesystem::permissions(path, kMine);
  replace_file(path, "second");
  EXPECT_EQ(std::filesystem::status(path).permissions(), kMine);
}

TEST(ReadWholeFile, reads_more_than_one_chunk) {
  const std::filesystem::path path = fresh_folder() / "large";
  const std::string content(200'000, 'x');
  replace_file(path, content);
  EXPECT_EQ(read_whole_file(path), content);
}

TEST(TouchFile, keeps_the_content) {
  const std::filesystem::path path = fresh_folder() / "a.txt";
  replace_file(path, "kept");
  touch_file(path);
  EXPECT_EQ(read_whole_file(path), "kept");
}

}  // namespace
}  // namespace feedrate
