// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>

#include "core/host/file.h"
#include "formats/tar/member_name.h"
#include "formats/tar/shard_index.h"
#include "formats/tar/tar_header.h"
#include "tests/formats/sample_records.h"
#include "tests/formats/tar_bytes.h"

namespace feedrate::testing {
namespace {

namespace fs = std::filesystem;

class TarFormat : public ::testing::Test {
 protected:
  fs::path path() const { return folder_ / "a.tar"; }
  void put(std::string_view bytes) const { write_file(path(), bytes); }
  std::unique_ptr<RecordReader> open() const { return open_dataset(path()); }
  std::string error() const {
    return message_of<FormatError>([&] { (void)open(); });
  }

  TempFolder folder_;
};

TEST_F(TarFormat, groups_members_by_name_up_to_the_first_dot) {
  put(tar_member("x/2.cls", "17\n") + tar_member("x/", "", '5') +
      tar_member("x/1.jpg", fake_image(0, 700)) + tar_member("x/2.PNG", fake_image(1, 30)) +
      tar_member("x/1.cls", " 4 ") + tar_member("x/1.json", "{}") + tar_end());
  const auto records = read_all(*open());
  EXPECT_THAT(records, ElementsAre(OwnedRecord{"x/1", fake_image(0, 700), 4},
                                   OwnedRecord{"x/2", fake_image(1, 30), 17}));
  EXPECT_EQ(open()->layout(), "1 shard of tar, 2 members ignored");
}

TEST_F(TarFormat, ignores_what_webdataset_ignores_and_irregular_files) {
  const std::string image = fake_image(0, 30);
  put(tar_member("._1.jpg", image) + tar_member("__meta__/1.jpg", image) +
      tar_member("link.jpg", "", '2') + tar_member("hard.jpg", "", '1') +
      tar_member("device.jpg", "", '3') + tar_member("./1.jpg", image) + tar_end());
  EXPECT_THAT(keys_of(*open()), ElementsAre("1"));
}

TEST_F(TarFormat, reads_gnu_long_names) {
  const std::string name = std::string(150, 'd') + "/" + std::string(120, 'n') + ".jpg";
  put(tar_member("././@LongLink", name + '\0', 'L') +
      tar_member(name.substr(0, 100), fake_image(0, 30)) + tar_member("b.jpg", fake_image(0, 31)) +
      tar_end());
  EXPECT_THAT(keys_of(*open()), ElementsAre(name.substr(0, name.size() - 4), "b"));
}

TEST_F(TarFormat, reads_pax_paths_and_sizes) {
  const std::string image = fake_image(0, 30);
  std::string lying = tar_member("short.jpg", image);
  lying.replace(0, 512, tar_header("short.jpg", 0));
  put(tar_member("PaxHeaders/x", "19 path=d/long.jpg\n11 size=30\n", 'x') + lying +
      tar_member("g", "15 comment=any\n", 'g') + tar_member("b.jpg", image) + tar_end());
  EXPECT_THAT(read_all(*open()),
              ElementsAre(OwnedRecord{"d/long", image}, OwnedRecord{"b", image}));
}

TEST_F(TarFormat, reads_posix_prefixes_and_base_256_sizes) {
  std::string header = tar_header("1.jpg", 0);
  header.replace(345, 5, "a/b/c");
  header.replace(124, 12, std::string("\x80\0\0\0\0\0\0\0\0\0\0\x1E", 12));
  set_checksum(header);
  put(header + fake_image(0, 30) + std::string(482, '\0') + tar_end());
  EXPECT_THAT(read_all(*open()), ElementsAre(OwnedRecord{"a/b/c/1", fake_image(0, 30)}));
}

TEST(TarHeader, reads_what_it_writes) {
  const std::string name(kTarName, 'n');
  for (const std::uint64_t size :
       {std::uint64_t{0}, std::uint64_t{1000}, (std::uint64_t{1} << 33) - 1, std::uint64_t{1} << 33,
        ~std::uint64_t{0}}) {
    const TarHeader header(name, size, '0');
    EXPECT_TRUE(header.checksum_matches()) << size;
    EXPECT_EQ(header.name(), name);
    EXPECT_EQ(header.size(), size);
    EXPECT_EQ(header.type(), '0');
  }
}

TEST_F(TarFormat, makes_keys_differ_between_extensions_and_shards) {
  const std::string image = fake_image(0, 30);
  write_file(folder_ / "d/s-1.tar",
             tar_member("1.l.jpg", image) + tar_member("1.r.jpg", image) + tar_end());
  write_file(folder_ / "d/s-2.tar",
             tar_member("1.l.jpg", image) + tar_member("2.jpg", image) + tar_end());
  EXPECT_THAT(keys_of(*open_dataset(folder_ / "d")),
              ElementsAre("s-1/1.l.jpg", "s-1/1.r.jpg", "s-2/1.l.jpg", "2"));
}

TEST_F(TarFormat, refuses_two_members_of_one_name) {
  put(tar_member("1.jpg", fake_image(0, 30)) + tar_member("1.jpg", fake_image(0, 31)) + tar_end());
  EXPECT_THAT(error(), HasSubstr("two members named \"1.jpg\""));
}

TEST_F(TarFormat, refuses_a_label_that_is_no_integer) {
  put(tar_member("1.jpg", fake_image(0, 30)) + tar_member("1.cls", "dog") + tar_end());
  EXPECT_THAT(error(), HasSubstr("a.tar: byte 1536: label \"1.cls\" is not a decimal integer"));
}

TEST_F(TarFormat, says_how_to_decompress) {
  put("\x1F\x8B\x08");
  EXPECT_THAT(error(), AllOf(HasSubstr("compressed with gzip"), HasSubstr("gunzip")));
  put("\x28\xB5\x2F\xFD");
  EXPECT_THAT(error(), AllOf(HasSubstr("compressed with zstd"), HasSubstr("zstd -d")));
  put("\xFD"
      "7zXZ");
  EXPECT_THAT(error(), HasSubstr("unxz"));
}

TEST_F(TarFormat, names_the_offset_of_a_truncation) {
  const std::string whole =
      tar_member("1.jpg", fake_image(0, 700)) + tar_member("2.jpg", fake_image(0, 30));
  put(whole.substr(0, 1000));
  EXPECT_THAT(error(),
              HasSubstr("byte 0: a member of 700 bytes does not fit in the file of 1000 bytes"));
  put(whole.substr(0, 1536 + 100));
  EXPECT_THAT(error(), HasSubstr("byte 1536: the file ends inside a tar header"));
  put("");
  EXPECT_THAT(error(), HasSubstr("truncated"));
}

// webdataset and tarfile also read such shards.
TEST_F(TarFormat, reads_a_shard_without_an_end_mark_and_says_so) {
  const std::string whole =
      tar_member("1.jpg", fake_image(0, 700)) + tar_member("2.jpg", fake_image(0, 30));
  for (const std::size_t size : {whole.size(), 1536 + std::size_t{512 + 30}}) {
    put(whole.substr(0, size));
    for (const char* time : {"walked", "from the index"}) {
      EXPECT_THAT(keys_of(*open()), ElementsAre("1", "2")) << size << time;
      EXPECT_EQ(open()->layout(), "1 shard of tar, 1 without an end mark") << size << time;
    }
  }
}

// webdataset 1.0.2 reads the same samples and labels.
TEST_F(TarFormat, takes_extensions_in_any_case_and_names_with_underscores) {
  const std::string image = fake_image(0, 30);
  put(tar_member("0.JPG", image) + tar_member("0.CLS", "7") + tar_member("1.Jpeg", image) +
      tar_member("1.Cls", "8") + tar_end());
  EXPECT_THAT(read_all(*open()),
              ElementsAre(OwnedRecord{"0", image, 7}, OwnedRecord{"1", image, 8}));
  put(tar_member("__0__.jpg", image) + tar_member("__1__.jpg", image) +
      tar_member("__1__.cls", "3") + tar_member("__/2.jpg", image) + tar_end());
  EXPECT_THAT(read_all(*open()),
              ElementsAre(OwnedRecord{"__0__", image}, OwnedRecord{"__1__", image, 3},
                          OwnedRecord{"__/2", image}));
}

TEST_F(TarFormat, replaces_an_index_of_an_old_version) {
  put(tar_member("1.jpg", fake_image(0, 30)) + tar_member("1.CLS", "4") + tar_end());
  write_file(folder_ / "a.tar.idx", "FRTIDX01" + std::string(40, '\0'));
  EXPECT_EQ(read_all(*open()).front().label, 4);
  EXPECT_EQ(read_file(folder_ / "a.tar.idx").substr(0, 8), "FRTIDX02");
}

TEST_F(TarFormat, names_the_offset_of_a_damaged_header) {
  std::string bytes =
      tar_member("1.jpg", fake_image(0, 30)) + tar_member("2.jpg", fake_image(0, 30)) + tar_end();
  bytes[1024] = 'x';
  put(bytes);
  EXPECT_THAT(error(), HasSubstr("byte 1024: the checksum of a tar header is wrong"));
  put(std::string(2000, 'x'));
  EXPECT_THAT(error(), HasSubstr("is not a tar file"));
}

TEST_F(TarFormat, refuses_absurd_sizes) {
  std::string header = tar_header("1.jpg", 0);
  header.replace(124, 12, std::string("\x80\0\0\0\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 12));
  set_checksum(header);
  put(header + tar_end());
  EXPECT_THAT(error(), HasSubstr("does not fit"));
  put(tar_header("x", 0xFFFFFFF, 'L') + tar_end());
  EXPECT_THAT(error(), HasSubstr("a name of 268435455 bytes"));
  std::string negative = tar_header("1.jpg", 0);
  negative[124] = '\xFF';
  set_checksum(negative);
  put(negative + tar_end());
  EXPECT_THAT(error(), HasSubstr("is not a number"));
}

TEST_F(TarFormat, refuses_sparse_members_and_malformed_pax_records) {
  put(tar_member("1.jpg", "", 'S') + tar_end());
  EXPECT_THAT(error(), HasSubstr("--sparse"));
  for (const char* records : {"x", "99 path=a\n", "5 a=b", "0 =\n", "7 path\n", "9 size=x\n"}) {
    put(tar_member("x", records, 'x') + tar_member("1.jpg", fake_image(0, 30)) + tar_end());
    EXPECT_THAT(error(), HasSubstr("malformed pax records")) << records;
  }
}

TEST_F(TarFormat, says_when_there_is_no_image) {
  put(tar_member("a.txt", "x") + tar_end());
  EXPECT_THAT(error(),
              HasSubstr("no records: no .jpg, .jpeg or .png among the members (1 of other kinds)"));
}

TEST_F(TarFormat, survives_any_truncation_and_any_changed_byte) {
  expect_survives_damage(path(),
                         tar_member("x", "17 path=long.jpg\n", 'x') +
                             tar_member("1.jpg", fake_image(0, 30)) + tar_end(),
                         1);
}

TEST_F(TarFormat, takes_the_index_from_its_cache) {
  put(tar_member("1.jpg", fake_image(0, 30)) + tar_end());
  (void)open();
  // A valid index with other contents shows that the headers are not walked again.
  const PackedFile shard = PackedReads().open(path().string());
  const ShardIndex other{.records = {{"other.jpg", 512, 20, 9}}, .ignored = 0};
  write_file(folder_ / "a.tar.idx", format_shard_index(other, shard));
  EXPECT_THAT(read_all(*open()),
              ElementsAre(OwnedRecord{"other", fake_image(0, 30).substr(0, 20), 9}));
}

TEST_F(TarFormat, makes_the_index_again_when_the_shard_changed) {
  put(tar_member("1.jpg", fake_image(0, 30)) + tar_end());
  EXPECT_THAT(keys_of(*open()), ElementsAre("1"));
  put(tar_member("2.jpg", fake_image(0, 30)) + tar_end());
  const timespec times[2] = {{.tv_sec = 1, .tv_nsec = 2}, {.tv_sec = 1, .tv_nsec = 2}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path().c_str(), times, 0), 0);
  EXPECT_THAT(keys_of(*open()), ElementsAre("2"));
  const timespec later[2] = {{.tv_sec = 1, .tv_nsec = 2}, {.tv_sec = 1, .tv_nsec = 2}};
  put(tar_member("3.jpg", fake_image(0, 30)) + tar_member("4.jpg", fake_image(0, 30)) + tar_end());
  ASSERT_EQ(::utimensat(AT_FDCWD, path().c_str(), later, 0), 0);
  EXPECT_THAT(keys_of(*open()), ElementsAre("3", "4"));
}

TEST_F(TarFormat, makes_the_index_again_when_it_is_damaged_anywhere) {
  put(tar_member("1.jpg", fake_image(0, 30)) + tar_member("1.cls", "3") + tar_end());
  const auto expected = read_all(*open());
  const std::string index = read_file(folder_ / "a.tar.idx");
  for (std::size_t at = 0; at < index.size(); ++at) {
    std::string damaged = index;
    damaged[at] = static_cast<char>(~damaged[at]);
    write_file(folder_ / "a.tar.idx", damaged);
    ASSERT_EQ(read_all(*open()), expected) << at;
    write_file(folder_ / "a.tar.idx", index.substr(0, at));
    ASSERT_EQ(read_all(*open()), expected) << at;
  }
}

TEST_F(TarFormat, ignores_an_index_that_points_outside_the_shard) {
  put(tar_member("1.jpg", fake_image(0, 30)) + tar_end());
  const PackedFile shard = PackedReads().open(path().string());
  const ShardIndex outside{.records = {{"1.jpg", 512, 100'000, 9}}, .ignored = 0};
  write_file(folder_ / "a.tar.idx", format_shard_index(outside, shard));
  EXPECT_EQ(open()->open_cursor()->read(0).payload.size(), 30U);
}

TEST_F(TarFormat, leaves_another_programs_index_alone) {
  put(tar_member("1.jpg", fake_image(0, 30)) + tar_end());
  write_file(folder_ / "a.tar.idx", "v1.2 1\n");
  EXPECT_EQ(open()->size(), 1U);
  EXPECT_EQ(read_file(folder_ / "a.tar.idx"), "v1.2 1\n");
}

TEST_F(TarFormat, works_without_an_index_where_it_cannot_be_written) {
  put(tar_member("1.jpg", fake_image(0, 30)) + tar_end());
  fs::create_directory(folder_ / "a.tar.idx");
  EXPECT_EQ(open()->size(), 1U);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 2);
}

TEST_F(TarFormat, refuses_keys_that_webdataset_would_not_read) {
  const auto writer = find_format("tar").create(path(), {});
  for (const char* key : {"a/", "./a", "__meta__/1"}) {
    EXPECT_THROW(writer->append(encoded_record(key).view()), FormatError) << key;
  }
}

TEST(MemberName, is_split_at_the_first_dot_of_the_last_component) {
  const auto split = split_member_name("./a.b/000123.seg.png");
  ASSERT_TRUE(split);
  EXPECT_EQ(split->stem, "a.b/000123");
  EXPECT_EQ(split->extension, "seg.png");
  for (const char* name : {"", "a", "a.b/c", ".jpg", "a/.jpg", "__key__/a.jpg"}) {
    EXPECT_FALSE(split_member_name(name)) << name;
  }
}

TEST(MemberName, keeps_dots_of_keys_as_codes) {
  EXPECT_EQ(stem_of_key("a.b/c.d%"), "a.b/c%2Ed%25");
  for (const char* key : {"a.b/c.d%", "%2E", "%%25", "."})
    EXPECT_EQ(key_of_stem(stem_of_key(key)), key);
  EXPECT_EQ(key_of_stem("100%20x"), "100%20x");
}

}  // namespace
}  // namespace feedrate::testing
