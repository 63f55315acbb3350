// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <sys/stat.h>

#include "formats/class_list.h"
#include "tests/formats/sample_records.h"

namespace feedrate::testing {
namespace {

namespace fs = std::filesystem;

class FolderFormat : public ::testing::Test {
 protected:
  void image(const std::string& name, std::size_t number = 0) const {
    write_file(root() / name, fake_image(number, 50));
  }
  fs::path root() const { return folder_ / "data"; }
  std::unique_ptr<RecordReader> open() const { return find_format("folder").open(root(), {}); }
  std::string error() const {
    return message_of<FormatError>([&] { (void)open(); });
  }

  void write(const std::vector<OwnedRecord>& records, std::vector<std::string> class_names) const {
    write_dataset(find_format("folder"), root(), records,
                  options_for(records, std::move(class_names)));
  }

  TempFolder folder_;
};

TEST_F(FolderFormat, numbers_classes_by_sorted_folder_and_files_by_name) {
  image("dog/b.PNG");
  image("dog/a.jpeg");
  image("Zebra/1.jpg");
  image("cat/x.jpg");
  write_file(root() / "cat/notes.txt", "no image");
  const auto reader = open();
  EXPECT_THAT(keys_of(*reader), ElementsAre("Zebra/1", "cat/x", "dog/a", "dog/b"));
  EXPECT_THAT(reader->class_names(), ElementsAre("Zebra", "cat", "dog"));
  EXPECT_EQ(reader->open_cursor()->read(3).label, 2);
}

TEST_F(FolderFormat, walks_nested_folders_in_the_order_of_imagefolder) {
  // os.walk's paths are sorted as text: '-' comes before '/'.
  for (const char* name : {"c/a/1.jpg", "c/a-b/1.jpg", "c/z.jpg", "c/a/b/1.jpg"}) image(name);
  EXPECT_THAT(keys_of(*open()), ElementsAre("c/z", "c/a/1", "c/a-b/1", "c/a/b/1"));
}

TEST_F(FolderFormat, counts_an_empty_class) {
  image("b/1.jpg");
  fs::create_directories(root() / "a");
  EXPECT_EQ(open()->open_cursor()->read(0).label, 1);
}

TEST_F(FolderFormat, follows_links_without_cycles) {
  image("c/1.jpg");
  fs::create_directory_symlink(root(), root() / "c/up");
  fs::create_directory_symlink("nowhere", root() / "c/dangling");
  EXPECT_THAT(keys_of(*open()), ElementsAre("c/1"));
}

// Two links in each of thirty folders make 2^30 paths.
TEST_F(FolderFormat, lists_a_folder_once_whatever_links_lead_to_it) {
  image("c/1.jpg");
  constexpr int kDepth = 30;
  for (int i = 0; i < kDepth; ++i) {
    const std::string here = "c/" + std::to_string(i);
    fs::create_directory(root() / here);
    for (const char* const link : {"a", "b"}) {
      fs::create_directory_symlink("../" + std::to_string(i + 1), root() / here / link);
    }
  }
  fs::create_directory(root() / "c" / std::to_string(kDepth));
  image("c/" + std::to_string(kDepth) + "/2.jpg");
  EXPECT_THAT(keys_of(*open()), SizeIs(2));
}

TEST_F(FolderFormat, lists_a_class_that_is_a_link_to_another_one) {
  image("c/1.jpg");
  fs::create_directory_symlink("c", root() / "d");
  EXPECT_THAT(keys_of(*open()), ElementsAre("c/1", "d/1"));
}

TEST_F(FolderFormat, reads_a_flat_folder_without_labels) {
  image("b.jpg");
  image("a.png", 1);
  const auto reader = open();
  EXPECT_THAT(keys_of(*reader), ElementsAre("a", "b"));
  EXPECT_EQ(reader->open_cursor()->read(0).label, kNoLabel);
}

TEST_F(FolderFormat, keeps_the_extension_where_two_files_would_share_a_key) {
  image("c/1.jpg");
  image("c/1.png");
  image("c/2.png");
  EXPECT_THAT(keys_of(*open()), ElementsAre("c/1.jpg", "c/1.png", "c/2"));
}

TEST_F(FolderFormat, takes_order_and_labels_from_labels_csv) {
  image("b.jpg");
  image("sub/a.jpg");
  image("unlisted.jpg");
  write_file(root() / "labels.csv", "filename,label\nsub/a.jpg,7\nb.jpg,-3\n");
  const auto records = read_all(*open());
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].key, "sub/a");
  EXPECT_EQ(records[0].label, 7);
  EXPECT_EQ(records[1].label, -3);
}

TEST_F(FolderFormat, counts_the_images_that_labels_csv_does_not_list) {
  for (const char* name : {"b.jpg", "sub/a.jpg", "unlisted.jpg", "sub/deep/unlisted.png"})
    image(name);
  write_file(root() / "notes.txt", "no image");
  write_file(root() / "labels.csv", "filename,label\nsub/a.jpg,7\nb.jpg,3\n");
  EXPECT_EQ(open()->left_out(), "2 files that labels.csv does not list");
  write_file(root() / "labels.csv",
             "filename,label\nsub/a.jpg,7\nb.jpg,3\nunlisted.jpg,1\nsub/deep/unlisted.png,1\n");
  EXPECT_EQ(open()->left_out(), "");
}

TEST_F(FolderFormat, says_how_to_convert_pickled_labels) {
  image("a.jpg");
  write_file(root() / "labels.pkl", "\x80\x04");
  EXPECT_THAT(message_of<ConfigError>([&] { (void)open(); }),
              AllOf(HasSubstr("labels.pkl"), HasSubstr("python3 -c"), HasSubstr("csv.writer")));
  write_file(root() / "labels.csv", "filename,label\na.jpg,1\n");
  EXPECT_EQ(open()->size(), 1U);
}

TEST_F(FolderFormat, lists_the_extensions_when_there_is_no_record) {
  fs::create_directories(root());
  EXPECT_THAT(error(), HasSubstr("no records: no .jpg, .jpeg or .png file"));
  write_file(root() / "labels.csv", "filename,label\n");
  EXPECT_THAT(error(), HasSubstr("labels.csv lists no file"));
}

TEST_F(FolderFormat, reports_a_listed_file_that_is_missing) {
  fs::create_directories(root());
  write_file(root() / "labels.csv", "filename,label\ngone.jpg,1\n");
  const auto reader = open();
  const auto cursor = reader->open_cursor();
  EXPECT_THAT(message_of<SystemError>([&] { (void)cursor->read(0); }),
              AllOf(HasSubstr("gone.jpg"), HasSubstr("No such file")));
}

TEST_F(FolderFormat, refuses_empty_and_irregular_files) {
  write_file(root() / "a.jpg", "");
  ASSERT_EQ(::mkfifo((root() / "b.jpg").c_str(), 0600), 0);
  const auto reader = open();
  const auto cursor = reader->open_cursor();
  EXPECT_THAT(message_of<FormatError>([&] { (void)cursor->read(0); }),
              HasSubstr("record 0: is empty"));
  EXPECT_THAT(message_of<FormatError>([&] { (void)cursor->read(1); }),
              HasSubstr("not a regular file"));
}

TEST_F(FolderFormat, refuses_a_file_of_absurd_size_before_it_allocates) {
  write_file(root() / "a.jpg", "x");
  fs::resize_file(root() / "a.jpg", std::uintmax_t{1} << 42);
  const auto reader = open();
  EXPECT_THROW((void)reader->open_cursor()->read(0), FormatError);
}

TEST_F(FolderFormat, writes_class_folders_where_keys_begin_with_their_class) {
  write({encoded_record("cat/1", 0), encoded_record("dog/1", 2, 1)}, {"cat", "cow", "dog"});
  EXPECT_TRUE(fs::exists(root() / "cat/1.jpg"));
  EXPECT_TRUE(fs::exists(root() / "dog/1.png"));
  EXPECT_FALSE(fs::exists(root() / "labels.csv"));
  EXPECT_THAT(open()->class_names(), ElementsAre("cat", "cow", "dog"));
}

TEST_F(FolderFormat, writes_labels_csv_where_class_folders_would_change_keys_or_labels) {
  write({encoded_record("000,1", 0), encoded_record("2")}, {"cat", "dog"});
  EXPECT_EQ(read_file(root() / "labels.csv"), "filename,label\n\"000,1.jpg\",0\n2.jpg,\n");
  EXPECT_EQ(read_file(root() / "classes.txt"), "cat\ndog\n");
}

TEST_F(FolderFormat, writes_neither_where_there_are_no_labels) {
  write({encoded_record("1"), encoded_record("2")}, {});
  EXPECT_FALSE(fs::exists(root() / "labels.csv"));
  EXPECT_FALSE(fs::exists(root() / "classes.txt"));
}

TEST_F(FolderFormat, refuses_keys_that_leave_the_folder) {
  const auto writer = find_format("folder").create(root(), {});
  for (const char* key : {"../a", "/etc/a", "a//b", "a/../../b"}) {
    EXPECT_THROW(writer->append(encoded_record(key).view()), FormatError) << key;
  }
}

TEST_F(FolderFormat, refuses_bytes_that_are_no_image) {
  const auto writer = find_format("folder").create(root(), {});
  EXPECT_THAT(message_of<FormatError>([&] {
                writer->append(OwnedRecord{"a", "GIF89a"}.view());
              }),
              HasSubstr("\"a\" is neither JPEG nor PNG"));
}

TEST(ClassList, keeps_empty_names_and_reads_windows_lines) {
  const TempFolder folder;
  write_class_list(folder / "a", {"x", "", "z"});
  EXPECT_THAT(read_class_list(folder / "a"), ElementsAre("x", "", "z"));
  write_file(folder / "b", "x\r\ny");
  EXPECT_THAT(read_class_list(folder / "b"), ElementsAre("x", "y"));
  EXPECT_TRUE(read_class_list(folder / "missing").empty());
  EXPECT_THROW(write_class_list(folder / "c", {"a\nb"}), FormatError);
}

}  // namespace
}  // namespace feedrate::testing
