// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "formats/npy/npy_header.h"
#include "tests/formats/folder_of_files.h"

namespace feedrate::testing {
namespace {

/// A file of version 1 with the given dictionary.
std::string npy(const std::string& dictionary, const std::string& pixels) {
  std::string bytes("\x93NUMPY\1\0", 8);
  bytes += static_cast<char>(dictionary.size() & 0xFF);
  bytes += static_cast<char>(dictionary.size() >> 8);
  return bytes + dictionary + pixels;
}

std::string dictionary(const std::string& shape, const std::string& descr = "|u1",
                       const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

class NpyFormat : public FolderOfFiles {
 protected:
  void put(const std::string& bytes, const std::string& name = "cat/1.npy") const {
    write_file(folder_ / name, bytes);
  }
};

TEST_F(NpyFormat, reads_images_each_of_its_own_shape) {
  put(npy(dictionary("(1, 2, 3)"), "abcdef"));
  put(npy(dictionary("(2, 1, 1)"), "xy"), "dog/1.npy");
  put(npy(dictionary("(3, 1)"), "xyz"), "dog/2.npy");
  EXPECT_THAT(read(), ElementsAre(OwnedRecord{"cat/1", "abcdef", 0, Payload::kPixels, {1, 2, 3}},
                                  OwnedRecord{"dog/1", "xy", 1, Payload::kPixels, {2, 1, 1}},
                                  OwnedRecord{"dog/2", "xyz", 1, Payload::kPixels, {3, 1, 1}}));
  EXPECT_EQ(open_dataset(folder_.path())->format(), "npy");
}

TEST_F(NpyFormat, reads_headers_of_all_versions_and_in_other_orders) {
  std::string second("\x93NUMPY\2\0", 8);
  const std::string text = "{'shape': (1,2,3,), 'fortran_order': False, 'descr': 'u1'}";
  second += static_cast<char>(text.size());
  second += std::string(3, '\0') + text + "abcdef";
  put(second);
  EXPECT_EQ(read().front().payload, "abcdef");
  second[6] = 3;
  put(second);
  EXPECT_EQ(read().front().payload, "abcdef");
}

TEST_F(NpyFormat, describes_a_file_that_holds_no_image) {
  for (const std::string& text :
       {dictionary("(1, 2, 3)", "<f4"), dictionary("(1, 2, 3)", "|u1", "True"),
        dictionary("(3, 1, 2)"), dictionary("(6,)"), dictionary("()"), dictionary("(1, -2, 3)"),
        dictionary("(0, 2, 3)"), dictionary("(99999999999, 1, 3)"), dictionary("(1, 2, 3"),
        dictionary("(1 2 x)"), std::string("{}")}) {
    put(npy(text, "abcdef"));
    EXPECT_THAT(error(), AllOf(HasSubstr("cat/1.npy: record 0: holds {"),
                               HasSubstr("must be uint8 in C order")))
        << text;
  }
}

TEST_F(NpyFormat, refuses_files_whose_size_is_not_that_of_their_shape) {
  for (const char* pixels : {"", "abcde", "abcdefg"}) {
    put(npy(dictionary("(1, 2, 3)"), pixels));
    EXPECT_THAT(error(), HasSubstr("bytes of pixels; 1×2×3 need 6"));
  }
  put(npy(dictionary("(2147483647, 2147483647, 3)"), "abcdef"));
  EXPECT_THAT(error(), HasSubstr("has 6 bytes of pixels"));
}

TEST_F(NpyFormat, refuses_other_files) {
  put("hello, this is text");
  EXPECT_THAT(error(), HasSubstr("is not a .npy file"));
  put("\x93NUM");
  EXPECT_THAT(error(), HasSubstr("is not a .npy file"));
  put(std::string("\x93NUMPY\1\0\xFF\xFF{'descr", 16));
  EXPECT_THAT(error(), HasSubstr("the file ends inside its header"));
  put(std::string("\x93NUMPY\2\0\xFF\xFF\xFF\xFF{'descr", 18));
  EXPECT_THAT(error(), HasSubstr("the file ends inside its header"));
  put(std::string("\x93NUMPY\4\0\0\0\0\0", 12));
  EXPECT_THAT(error(), HasSubstr(".npy version 4"));
}

TEST_F(NpyFormat, survives_any_truncation_and_any_changed_byte) {
  const std::string bytes = npy(dictionary("(1, 2, 3)"), "abcdef");
  const auto try_it = [&](const std::string& damaged) {
    put(damaged);
    try {
      (void)read();
    } catch (const Error&) {
    }
  };
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    try_it(bytes.substr(0, at));
    for (int value = 0; value < 256; value += 17) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(value);
      try_it(damaged);
    }
  }
}

TEST_F(NpyFormat, leaves_a_folder_with_images_to_the_other_format) {
  put(fake_image(0, 30), "cat/1.jpg");
  EXPECT_EQ(open_dataset(folder_.path())->format(), "folder");
}

TEST_F(NpyFormat, names_a_folder_without_such_files) {
  std::filesystem::create_directory(folder_ / "cat");
  EXPECT_THAT(message_of<FormatError>([&] { (void)find_format("npy").open(folder_.path(), {}); }),
              HasSubstr("no records: no .npy file"));
}

TEST(NpyHeader, is_the_one_that_numpy_writes) {
  const std::string header = format_npy_header({.height = 4, .width = 5, .channels = 3});
  EXPECT_EQ(header.size(), 128U);
  EXPECT_TRUE(header.starts_with(std::string("\x93NUMPY\1\0v\0{'descr': '|u1', ", 27)));
  EXPECT_TRUE(header.ends_with(" \n"));
  const NpyHeader parsed = parse_npy_header(std::as_bytes(std::span(header)), {.file = "x"});
  EXPECT_EQ(parsed.size, 128U);
  EXPECT_EQ(parsed.shape, (ImageShape{.height = 4, .width = 5, .channels = 3}));
}

}  // namespace
}  // namespace feedrate::testing
