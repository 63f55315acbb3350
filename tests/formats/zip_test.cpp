// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/crc32c.h"
#include "core/host/file.h"
#include "formats/zip/zip_layout.h"
#include "tests/formats/sample_records.h"

namespace feedrate::testing {
namespace {

namespace fs = std::filesystem;

struct Content {
  std::string name;
  std::string bytes;
};

template <typename T>
std::string number(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

/// An archive and the offset of its directory.
struct Archive {
  std::string bytes;
  std::size_t directory = 0;
  std::vector<ZipMember> members = {};
};

Archive archive_of(const std::vector<Content>& contents) {
  Archive archive;
  for (const Content& content : contents) {
    const ZipMember member{.name = content.name,
                           .header = archive.bytes.size(),
                           .size = content.bytes.size(),
                           .crc = crc32(std::as_bytes(std::span(content.bytes)))};
    archive.bytes += format_zip_local_header(member) + content.bytes;
    archive.members.push_back(member);
  }
  archive.directory = archive.bytes.size();
  archive.bytes += format_zip_directory(archive.members, archive.directory);
  return archive;
}

class ZipFormat : public ::testing::Test {
 protected:
  fs::path path() const { return folder_ / "a.zip"; }
  void put(std::string_view bytes) const { write_file(path(), bytes); }
  void put(const std::vector<Content>& contents) const { put(archive_of(contents).bytes); }
  std::vector<OwnedRecord> read() const { return read_all(*open_dataset(path())); }
  std::string error() const {
    return message_of<FormatError>([&] { (void)read(); });
  }

  const std::string image_ = fake_image(0, 700);
  TempFolder folder_;
};

TEST_F(ZipFormat, reads_class_folders_in_the_order_of_a_folder) {
  put({{"dog/1.jpg", image_},
       {"cat/x/1.png", fake_image(1, 30)},
       {"cat/2.JPEG", image_},
       {"ant/", ""},
       {"cat/notes.txt", "x"},
       {"top.jpg", image_}});
  EXPECT_THAT(read(), ElementsAre(OwnedRecord{"cat/2", image_, 1},
                                  OwnedRecord{"cat/x/1", fake_image(1, 30), 1},
                                  OwnedRecord{"dog/1", image_, 2}));
  EXPECT_THAT(open_dataset(path())->class_names(), ElementsAre("ant", "cat", "dog"));
}

TEST_F(ZipFormat, reads_a_flat_archive_with_and_without_labels) {
  put({{"b.jpg", image_}, {"a.jpg", image_}});
  EXPECT_THAT(read(), ElementsAre(OwnedRecord{"a", image_}, OwnedRecord{"b", image_}));
  put({{"b.jpg", image_},
       {"labels.csv", "filename,label\nb.jpg,dog\n"},
       {"classes.txt", "cat\ndog\n"}});
  EXPECT_THAT(read(), ElementsAre(OwnedRecord{"b", image_, 1}));
}

TEST_F(ZipFormat, ignores_what_macos_adds) {
  put({{"cat/1.jpg", image_}, {"__MACOSX/cat/._1.jpg", "x"}, {"cat/._2.jpg", "x"}});
  EXPECT_THAT(read(), ElementsAre(OwnedRecord{"cat/1", image_, 0}));
  EXPECT_THAT(open_dataset(path())->class_names(), ElementsAre("cat"));
}

TEST_F(ZipFormat, says_how_to_pack_a_compressed_archive) {
  Archive archive = archive_of({{"1.jpg", image_}});
  archive.bytes[archive.directory + 10] = 8;
  put(archive.bytes);
  EXPECT_THAT(error(), AllOf(HasSubstr("a.zip: byte 0: member \"1.jpg\": is compressed (method 8)"),
                             HasSubstr("zip -0 -r")));
}

TEST_F(ZipFormat, refuses_encrypted_members_repeated_names_and_paths_that_leave_the_folder) {
  Archive archive = archive_of({{"1.jpg", image_}});
  archive.bytes[archive.directory + 8] = 1;
  put(archive.bytes);
  EXPECT_THAT(error(), HasSubstr("is encrypted"));
  put({{"1.jpg", image_}, {"1.jpg", image_}});
  EXPECT_THAT(error(), HasSubstr("two members of this name"));
  for (const char* name : {"../1.jpg", "/1.jpg", "a/../1.jpg", "a//1.jpg", "./1.jpg"}) {
    put({{name, image_}});
    EXPECT_THAT(error(), HasSubstr("is rejected; its path must stay inside the archive")) << name;
  }
}

TEST_F(ZipFormat, says_when_there_is_no_image_or_a_listed_one_is_missing) {
  put({{"a.txt", "x"}});
  EXPECT_THAT(error(), HasSubstr("no records"));
  put(std::vector<Content>{});
  EXPECT_THAT(error(), HasSubstr("no records"));
  put({{"labels.csv", "filename,label\nb.jpg,1\n"}});
  EXPECT_THAT(error(), HasSubstr("labels.csv lists \"b.jpg\", which is not in the archive"));
}

TEST_F(ZipFormat, names_the_member_whose_bytes_are_damaged) {
  Archive archive = archive_of({{"1.jpg", image_}, {"2.jpg", image_}});
  archive.bytes[archive.members[1].header + 200] ^= 1;
  put(archive.bytes);
  EXPECT_THAT(error(),
              HasSubstr("a.zip: record 1 at byte 735: the checksum of the member is wrong"));
  archive.bytes[archive.members[1].header] ^= 1;
  put(archive.bytes);
  EXPECT_THAT(error(), HasSubstr("record 1 at byte 735: the header of the member is damaged"));
}

TEST_F(ZipFormat, reads_members_whose_local_header_has_a_long_extra_field) {
  const std::string extra(5000, 'x');
  ZipMember member{
      .name = "1.jpg", .size = image_.size(), .crc = crc32(std::as_bytes(std::span(image_)))};
  std::string bytes = format_zip_local_header(member);
  bytes.replace(28, 2, number(static_cast<std::uint16_t>(extra.size())));
  bytes += extra + image_;
  put(bytes + format_zip_directory({member}, bytes.size()));
  EXPECT_THAT(read(), ElementsAre(OwnedRecord{"1", image_}));
}

TEST_F(ZipFormat, skips_a_comment_that_looks_like_an_end_record) {
  Archive archive = archive_of({{"1.jpg", image_}});
  const std::string comment = "PK\5\6 and more than twenty-two bytes of it";
  archive.bytes.replace(archive.bytes.size() - 2, 2,
                        number(static_cast<std::uint16_t>(comment.size())));
  put(archive.bytes + comment);
  EXPECT_THAT(read(), ElementsAre(OwnedRecord{"1", image_}));
}

TEST_F(ZipFormat, refuses_truncated_files_and_leading_bytes) {
  const Archive archive = archive_of({{"1.jpg", image_}});
  put(archive.bytes.substr(0, archive.bytes.size() - 1));
  EXPECT_THAT(error(), HasSubstr("no ZIP directory at its end"));
  put("#!/bin/sh\n" + archive.bytes);
  EXPECT_THAT(error(), HasSubstr("preceded by something else"));
  put("");
  EXPECT_THAT(error(), HasSubstr("no ZIP directory at its end"));
}

TEST_F(ZipFormat, refuses_absurd_numbers_in_the_directory) {
  const Archive archive = archive_of({{"1.jpg", image_}});
  const std::string huge = number(std::uint32_t{0xFFFFFFF0});
  const auto with = [&](std::size_t at, const std::string& bytes) {
    std::string damaged = archive.bytes;
    damaged.replace(at, bytes.size(), bytes);
    put(damaged);
    return error();
  };
  const std::size_t end = archive.bytes.size() - kZipEnd;
  EXPECT_THAT(with(archive.directory + 20, huge + huge), HasSubstr("is not within the file"));
  EXPECT_THAT(with(archive.directory + 20, huge),
              HasSubstr("entry of the ZIP directory is damaged"));
  EXPECT_THAT(with(archive.directory + 42, huge), HasSubstr("is not within the file"));
  EXPECT_THAT(with(archive.directory + 28, "\xFF\xFF"), HasSubstr("is damaged"));
  EXPECT_THAT(with(end + 12, huge), HasSubstr("does not end where its end record begins"));
  EXPECT_THAT(with(end + 16, huge), HasSubstr("does not end where its end record begins"));
  EXPECT_THAT(with(end + 10, "\xFE\xFF"),
              HasSubstr("has 1 members, but its end record says 65534"));
}

TEST_F(ZipFormat, survives_any_truncation_and_any_changed_byte) {
  expect_survives_damage(
      path(),
      archive_of({{"c/1.jpg", fake_image(0, 30)}, {"labels.csv", "filename,label\nc/1.jpg,4\n"}})
          .bytes,
      1);
}

TEST_F(ZipFormat, reads_and_writes_more_members_than_16_bits_count) {
  std::vector<Content> contents;
  for (int i = 0; i < 65'600; ++i) contents.push_back({std::to_string(100'000 + i) + ".jpg", "x"});
  put(contents);
  const auto reader = open_dataset(path());
  ASSERT_EQ(reader->size(), 65'600U);
  EXPECT_EQ(reader->open_cursor()->read(65'599).key, "165599");
}

TEST_F(ZipFormat, reads_and_writes_offsets_beyond_32_bits) {
  constexpr std::uint64_t kFar = 5'000'000'000;
  const ZipMember member{.name = "1.jpg",
                         .header = kFar,
                         .size = image_.size(),
                         .crc = crc32(std::as_bytes(std::span(image_)))};
  const std::string body = format_zip_local_header(member) + image_;
  put("PK");
  fs::resize_file(path(), kFar);  // sparse
  std::ofstream(path(), std::ios::binary | std::ios::app)
      << body << format_zip_directory({member}, kFar + body.size());
  EXPECT_THAT(read(), ElementsAre(OwnedRecord{"1", image_}));
}

TEST_F(ZipFormat, survives_any_changed_byte_of_a_zip64_directory) {
  Archive archive = archive_of({{"1.jpg", fake_image(0, 30)}});
  archive.bytes.resize(archive.directory);
  // Stores one member's small numbers as ZIP64.
  std::string entry = format_zip_directory(archive.members, 0);
  entry.resize(46 + 5);
  entry.replace(20, 8, std::string(8, '\xFF'));
  entry.replace(42, 4, std::string(4, '\xFF'));
  entry.replace(30, 2, number(std::uint16_t{28}));
  entry += number(std::uint16_t{1}) + number(std::uint16_t{24}) + number(std::uint64_t{30}) +
           number(std::uint64_t{30}) + number(std::uint64_t{0});
  std::string end = "PK\6\6" + number(std::uint64_t{44}) + std::string(12, '\0');
  end += number(std::uint64_t{1}) + number(std::uint64_t{1}) + number(std::uint64_t{entry.size()}) +
         number(std::uint64_t{archive.directory});
  end += std::string("PK\6\7\0\0\0\0", 8) +
         number(std::uint64_t{archive.directory + entry.size()}) + number(std::uint32_t{1});
  end += std::string("PK\5\6\0\0\0\0", 8) + std::string(12, '\xFF') + std::string(2, '\0');
  const std::string bytes = archive.bytes + entry + end;
  put(bytes);
  EXPECT_THAT(read(), ElementsAre(OwnedRecord{"1", fake_image(0, 30)}));
  expect_survives_damage(path(), bytes, 1);
}

TEST_F(ZipFormat, keeps_a_class_without_records) {
  const std::vector records{OwnedRecord{"dog/1", image_, 1}};
  write_dataset(find_format("zip"), path(), records, options_for(records, {"cat", "dog"}));
  EXPECT_EQ(read(), records);
  EXPECT_THAT(open_dataset(path())->class_names(), ElementsAre("cat", "dog"));
}

TEST_F(ZipFormat, refuses_keys_that_are_no_path_or_too_long) {
  const auto writer = find_format("zip").create(path(), {});
  for (const std::string& key :
       {std::string("../a"), std::string("/a"), std::string(70'000, 'a')}) {
    EXPECT_THROW(writer->append(encoded_record(key).view()), FormatError);
  }
}

TEST(Crc32, has_the_value_of_its_definition) {
  const std::string text = "123456789";
  EXPECT_EQ(crc32(std::as_bytes(std::span(text))), 0xCBF43926U);
}

}  // namespace
}  // namespace feedrate::testing
