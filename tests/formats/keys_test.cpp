// SPDX-License-Identifier: Apache-2.0
#include "formats/keys.h"

#include "core/error.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

TEST(SafeRelativePath, stays_below_its_folder) {
  EXPECT_TRUE(is_safe_relative_path("a"));
  EXPECT_TRUE(is_safe_relative_path("cat/..0007"));
  for (const char* path :
       {"", "/", "/a", "a/", "a//b", ".", "..", "./a", "a/./b", "../a", "a/../b", "a/.."}) {
    EXPECT_FALSE(is_safe_relative_path(path)) << path;
  }
  EXPECT_FALSE(is_safe_relative_path(std::string_view("a\0b", 3)));
}

TEST(ImageStem, knows_three_extensions_of_any_case) {
  EXPECT_EQ(image_stem("cat/a.b.JPEG"), "cat/a.b");
  EXPECT_EQ(image_stem("a.Jpg"), "a");
  EXPECT_EQ(image_stem("a.png"), "a");
  for (const char* name : {"a", "a.txt", "a.jpg.txt", "", ".jpg", "cat/.png", "ajpg"}) {
    EXPECT_EQ(image_stem(name), std::nullopt) << name;
  }
}

TEST(MakeKeysUnique, gives_full_names_only_to_those_that_share_a_key) {
  const std::vector<std::string> full{"a.jpg", "a.png", "b.jpg"};
  std::vector<std::string> keys{"a", "a", "b"};
  EXPECT_EQ(make_keys_unique(keys, [&](std::size_t i) { return full[i]; }), std::nullopt);
  EXPECT_THAT(keys, ElementsAre("a.jpg", "a.png", "b"));
}

TEST(MakeKeysUnique, repeats_if_a_full_name_is_the_key_of_another) {
  const std::vector<std::string> full{"a.jpg", "a.png", "a.jpg.png"};
  std::vector<std::string> keys{"a", "a", "a.jpg"};
  EXPECT_EQ(make_keys_unique(keys, [&](std::size_t i) { return full[i]; }), std::nullopt);
  EXPECT_THAT(keys, ElementsAre("a.jpg", "a.png", "a.jpg.png"));
}

TEST(MakeKeysUnique, names_a_record_whose_full_name_is_taken) {
  std::vector<std::string> keys{"a", "b", "a"};
  EXPECT_EQ(make_keys_unique(keys, [](std::size_t) { return "same"; }), 2U);
}

TEST(WrittenKeys, refuse_empty_and_repeated_keys) {
  WrittenKeys keys;
  keys.add("a", "x");
  keys.add("b", "x");
  EXPECT_THROW(keys.add("a", "x"), FormatError);
  EXPECT_THROW(keys.add("", "x"), FormatError);
}

}  // namespace
}  // namespace feedrate
