// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <utility>

#include <lmdb.h>

#include "formats/lmdb/layout.h"
#include "tests/formats/sample_records.h"

namespace feedrate::testing {
namespace {

namespace fs = std::filesystem;

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// Writes a database like another program.
void write_foreign(const fs::path& path, const Pairs& pairs, unsigned env_flags = 0,
                   unsigned database_flags = 0) {
  if ((env_flags & MDB_NOSUBDIR) == 0) fs::create_directories(path);
  MDB_env* env = nullptr;
  MDB_txn* txn = nullptr;
  MDB_dbi dbi = 0;
  ASSERT_EQ(mdb_env_create(&env), 0);
  ASSERT_EQ(mdb_env_set_mapsize(env, 16U << 20), 0);
  ASSERT_EQ(mdb_env_open(env, path.c_str(), env_flags | MDB_NOLOCK, 0644), 0);
  ASSERT_EQ(mdb_txn_begin(env, nullptr, 0, &txn), 0);
  ASSERT_EQ(mdb_dbi_open(txn, nullptr, database_flags, &dbi), 0);
  for (auto [key, value] : pairs) {
    MDB_val k{key.size(), key.data()};
    MDB_val v{value.size(), value.data()};
    ASSERT_EQ(mdb_put(txn, dbi, &k, &v, 0), 0);
  }
  ASSERT_EQ(mdb_txn_commit(txn), 0);
  mdb_env_close(env);
}

class LmdbFormat : public ::testing::Test {
 protected:
  fs::path path() const { return folder_ / "a.lmdb"; }
  fs::path file() const { return path() / "data.mdb"; }
  std::unique_ptr<RecordReader> open() const { return open_dataset(path()); }
  std::string error() const {
    return message_of<FormatError>([&] { (void)open(); });
  }

  std::string write_own(std::size_t count, std::size_t size) const {
    std::vector<OwnedRecord> records;
    for (std::size_t i = 0; i < count; ++i)
      records.push_back({"k" + std::to_string(i), fake_image(i, size), 1});
    write_dataset(find_format("lmdb"), path(), records, {});
    return read_file(file());
  }

  TempFolder folder_;
};

TEST_F(LmdbFormat, grows_its_map_beyond_the_first_size) {
  const std::string large = fake_image(0, 9 << 20);
  const auto writer = find_format("lmdb").create(path(), {});
  for (int i = 0; i < 16; ++i)
    writer->append(OwnedRecord{"k" + std::to_string(i), large, i}.view());
  writer->finish();
  const auto reader = open();
  EXPECT_EQ(reader->size(), 16U);
  const auto cursor = reader->open_cursor();
  EXPECT_EQ(own(cursor->read(15)), (OwnedRecord{"k15", large, 15}));
}

TEST_F(LmdbFormat, writes_a_folder_without_a_lock_file) {
  write_own(2, 100);
  EXPECT_TRUE(fs::is_regular_file(file()));
  EXPECT_FALSE(fs::exists(path() / "lock.mdb"));
}

TEST_F(LmdbFormat, reads_integer_keys_in_the_order_of_their_numbers) {
  Pairs pairs{
      {"length", "12"}, {"num-samples", "12"}, {"__len__", "12"}, {"__keys__", "\x80\x04x"}};
  for (std::size_t i = 0; i < 12; ++i) pairs.emplace_back(std::to_string(i), fake_image(i, 100));
  write_foreign(path(), pairs);
  const auto reader = open();
  const auto records = read_all(*reader);
  ASSERT_EQ(records.size(), 12U);
  for (std::size_t i = 0; i < 12; ++i) {
    // Values that are no images are skipped before the order is decided.
    EXPECT_EQ(records[i], (OwnedRecord{std::to_string(i), fake_image(i, 100), kNoLabel}));
  }
  EXPECT_EQ(reader->layout(), "LMDB, one image file per value, no labels, 4 other values skipped");
}

TEST_F(LmdbFormat, reads_any_keys_in_the_order_of_the_database) {
  write_foreign(path(), {{"n01/b.JPEG", fake_image(0, 100)},
                         {"n01/a.JPEG", fake_image(2, 5000)},
                         {std::string("\0\1", 2), fake_image(4, 30)}});
  EXPECT_THAT(keys_of(*open()), ElementsAre("0x0001", "n01/a.JPEG", "n01/b.JPEG"));
}

TEST_F(LmdbFormat, reads_a_database_that_is_one_file) {
  write_foreign(path(), {{"a", fake_image(0, 100)}}, MDB_NOSUBDIR);
  EXPECT_THAT(keys_of(*open()), ElementsAre("a"));
}

TEST_F(LmdbFormat, shows_two_keys_when_no_value_is_an_image) {
  write_foreign(path(), {{"first", "text"}, {"second", "text"}, {"third", "text"}});
  EXPECT_THAT(error(), AllOf(HasSubstr("no records: none of the 3 values"),
                             HasSubstr("first, second"), HasSubstr("values that are image files")));
}

TEST_F(LmdbFormat, recognizes_pickled_values) {
  write_foreign(path(), {{"0", "\x80\x04\x95something"}});
  EXPECT_THAT(error(), HasSubstr("Python pickles"));
}

TEST_F(LmdbFormat, refuses_named_databases_beside_images_and_alone) {
  const auto add_named = [&](const char* name) {
    MDB_env* env = nullptr;
    MDB_txn* txn = nullptr;
    MDB_dbi dbi = 0;
    ASSERT_EQ(mdb_env_create(&env), 0);
    ASSERT_EQ(mdb_env_set_maxdbs(env, 2), 0);
    ASSERT_EQ(mdb_env_open(env, path().c_str(), MDB_NOLOCK, 0644), 0);
    ASSERT_EQ(mdb_txn_begin(env, nullptr, 0, &txn), 0);
    ASSERT_EQ(mdb_dbi_open(txn, name, MDB_CREATE, &dbi), 0);
    std::string key = "k";
    std::string value = fake_image(0, 30);
    MDB_val k{key.size(), key.data()};
    MDB_val v{value.size(), value.data()};
    ASSERT_EQ(mdb_put(txn, dbi, &k, &v, 0), 0);
    ASSERT_EQ(mdb_txn_commit(txn), 0);
    mdb_env_close(env);
  };
  write_foreign(path(), {{"a", fake_image(0, 100)}});
  add_named("labels");
  EXPECT_THAT(error(), HasSubstr("has a named database, \"labels\"; only records of the main"));
  fs::remove_all(path());
  write_foreign(path(), {});
  add_named("train");
  add_named("val");
  EXPECT_THAT(error(), HasSubstr("has a named database, \"train\""));
  fs::remove_all(path());
  write_foreign(path(), {{"a", fake_image(0, 100)}, {"b", std::string(48, 'x')}});
  EXPECT_THAT(keys_of(*open()), ElementsAre("a"));
}

TEST_F(LmdbFormat, refuses_an_empty_database) {
  write_foreign(path(), {});
  EXPECT_THAT(error(), HasSubstr("no records"));
}

TEST_F(LmdbFormat, refuses_duplicate_and_integer_keys) {
  write_foreign(path(), {{"a", "x"}, {"a", "y"}}, 0, MDB_DUPSORT);
  EXPECT_THAT(error(), HasSubstr("MDB_DUPSORT"));
}

TEST_F(LmdbFormat, names_the_offset_where_a_truncated_file_ends) {
  const std::string whole = write_own(40, 5000);
  fs::resize_file(file(), whole.size() / 2);
  EXPECT_THAT(error(),
              AllOf(HasSubstr("data.mdb"), HasSubstr("the file is truncated: it should have")));
  fs::resize_file(file(), 5000);
  EXPECT_THAT(error(), HasSubstr("truncated"));
  fs::resize_file(file(), 0);
  EXPECT_THAT(error(), HasSubstr("byte 0: the file ends inside a meta page"));
}

TEST_F(LmdbFormat, refuses_zeroed_meta_pages_and_garbage) {
  std::string whole = write_own(4, 5000);
  whole.replace(4096, 4096, 4096, '\0');
  write_file(file(), whole);
  EXPECT_THAT(error(),
              HasSubstr("byte 4096: is not an LMDB database, or its meta page is damaged"));
  whole.replace(0, 4096, 4096, 'g');
  write_file(file(), whole);
  EXPECT_THAT(error(), HasSubstr("byte 0: is not an LMDB database"));
}

TEST_F(LmdbFormat, refuses_more_entries_than_fit_in_its_file) {
  std::string whole = write_own(4, 100);
  constexpr std::size_t kEntries = 120;
  for (const std::size_t page : {0U, 4096U}) whole[page + kEntries + 5] = '\1';
  write_file(file(), whole);
  EXPECT_THAT(error(), HasSubstr("1099511627781 entries do not fit in a file of"));
}

TEST_F(LmdbFormat, refuses_more_records_in_its_meta_page_than_in_its_manifest) {
  std::string whole = write_own(4, 100);
  constexpr std::size_t kEntries = 120;
  for (const std::size_t page : {0U, 4096U}) whole[page + kEntries] = '\7';
  write_file(file(), whole);
  EXPECT_THAT(error(), HasSubstr("holds 6 records, but its manifest says 4"));
}

TEST_F(LmdbFormat, refuses_pages_of_an_impossible_size) {
  std::string whole = write_own(4, 100);
  constexpr std::size_t kPageSize = 40;
  whole[kPageSize] = '\1';
  write_file(file(), whole);
  EXPECT_THAT(error(), HasSubstr("byte 0: has pages of 4097 bytes"));
}

TEST_F(LmdbFormat, says_that_the_data_file_is_missing) {
  fs::create_directory(path());
  EXPECT_THAT(message_of<SystemError>([&] { (void)open(); }), HasSubstr("data.mdb: cannot open"));
}

TEST_F(LmdbFormat, refuses_any_truncation) {
  // Small values are in the page of keys, a large one in pages of its own.
  std::vector<OwnedRecord> records{{"large", fake_image(0, 5000), 1}};
  for (std::size_t i = 0; i < 200; ++i)
    records.push_back({"k" + std::to_string(i), fake_image(i, 30), 1});
  write_dataset(find_format("lmdb"), path(), records, {});
  const std::string whole = read_file(file());
  for (std::size_t length = 0; length < whole.size(); length += 509) {
    write_file(file(), whole.substr(0, length));
    EXPECT_THROW((void)open(), FormatError) << length;
  }
}

TEST_F(LmdbFormat, refuses_a_manifest_that_does_not_match) {
  for (const char* json : {"{}", "nonsense", R"({"version": 2, "records": 1, "class_names": []})",
                           R"({"version": 1, "records": 2, "class_names": []})",
                           R"({"version": 1, "records": 0, "class_names": []})",
                           R"({"version": 1, "records": 1.5, "class_names": []})",
                           R"({"version": 1, "records": 1e77, "class_names": []})",
                           R"({"version": 1, "records": 1, "class_names": [7]})"}) {
    const auto name = folder_ / "m.lmdb";
    write_foreign(name, {{std::string(kLmdbManifestKey), json}, {lmdb_key(0), "FRR1"}});
    EXPECT_THROW((void)open_dataset(name), FormatError) << json;
    fs::remove_all(name);
  }
}

TEST(LmdbLayout, refuses_a_manifest_that_is_nested_absurdly) {
  const std::string json = R"({"version": 1, "records": )" + std::string(100'000, '[') +
                           std::string(100'000, ']') + R"(, "class_names": []})";
  EXPECT_THAT(
      [&] { (void)parse_lmdb_manifest(json, "a.lmdb"); },
      ::testing::ThrowsMessage<FormatError>(
          "a.lmdb: the value of __feedrate__ is damaged: JSON is nested more than 64 deep"));
}

TEST_F(LmdbFormat, names_the_record_whose_value_is_damaged) {
  const std::string manifest = format_lmdb_manifest({.records = 2, .class_names = {}});
  write_foreign(
      path(), {{std::string(kLmdbManifestKey), manifest}, {lmdb_key(0), "FRR1 short"}, {"x", "y"}});
  const auto reader = open();
  const auto cursor = reader->open_cursor();
  EXPECT_THAT(message_of<FormatError>([&] { (void)cursor->read(0); }),
              HasSubstr("record 0: the header of the value is damaged"));
  EXPECT_THAT(message_of<FormatError>([&] { (void)cursor->read(1); }),
              HasSubstr("record 1: no key \"0000000001\""));
}

TEST_F(LmdbFormat, finds_records_of_any_size) {
  std::vector<OwnedRecord> records;
  for (std::size_t i = 0; i < 700; ++i) {
    records.push_back({"k" + std::to_string(i), fake_image(i, 20 + i * i * 31 % 9000), 2});
  }
  write_dataset(find_format("lmdb"), path(), records, {});
  EXPECT_EQ(read_all(*open()), records);
}

TEST_F(LmdbFormat, detects_a_write_after_opening) {
  const Pairs pairs{{"a", fake_image(0, 900)}, {"b", fake_image(1, 900)}};
  write_foreign(path(), pairs);
  const auto reader = open();
  const auto cursor = reader->open_cursor();
  write_foreign(path(), {{"c", fake_image(0, 100)}});
  EXPECT_EQ(own(cursor->read(0)).payload, pairs[0].second);
  EXPECT_THAT(message_of<FormatError>([&] { (void)reader->open_cursor(); }),
              HasSubstr("was written to after it was opened; open it again"));
  EXPECT_EQ(keys_of(*open()).size(), 3U);
}

TEST(LmdbLayout, matches_the_documentation) {
  const auto bytes = encode_lmdb_value(OwnedRecord{"cat/7", "\xFF\xD8\xFF", 258}.view());
  EXPECT_EQ(text_of(bytes), std::string("FRR1"
                                        "\x05\0\0\0"
                                        "\x02\x01\0\0\0\0\0\0"
                                        "cat/7\xFF\xD8\xFF",
                                        24));
  EXPECT_EQ(own(*decode_lmdb_value(bytes)), (OwnedRecord{"cat/7", "\xFF\xD8\xFF", 258}));
  EXPECT_EQ(lmdb_key(42), "0000000042");
}

TEST(LmdbLayout, refuses_values_that_are_too_short_for_their_key) {
  auto bytes = encode_lmdb_value(OwnedRecord{"cat", "", 1}.view());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(decode_lmdb_value(Bytes(bytes).first(length))) << length;
  }
  bytes[7] = std::byte{0xFF};
  EXPECT_FALSE(decode_lmdb_value(bytes));
}

}  // namespace
}  // namespace feedrate::testing
