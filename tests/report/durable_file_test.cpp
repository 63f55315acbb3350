#include "report/durable_file.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/report/golden.h"

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
  try {
    replace_file(folder / "a.txt", "x");
    FAIL();
  } catch (const SystemError& error) {
    EXPECT_EQ(error.what(),
              (folder / "a.txt.tmp").string() + ": cannot open: No such file or directory");
  }
}

TEST(ReadWholeFile, reads_more_than_one_chunk) {
  const std::filesystem::path path = fresh_folder() / "large";
  const std::string content(200'000, 'x');
  replace_file(path, content);
  EXPECT_EQ(read_whole_file(path), content);
}

TEST(TouchFile, keeps_what_is_there) {
  const std::filesystem::path path = fresh_folder() / "a.txt";
  replace_file(path, "kept");
  touch_file(path);
  EXPECT_EQ(read_whole_file(path), "kept");
}

}  // namespace
}  // namespace feedrate
