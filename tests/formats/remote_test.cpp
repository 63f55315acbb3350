// SPDX-License-Identifier: Apache-2.0
// Compares datasets read from a server with the same local files, for every such format.
#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "formats/remote/object_client.h"
#include "tests/formats/sample_records.h"
#include "tests/support/s3_server.h"

namespace feedrate::testing {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kClasses{"cat", "dog"};

class OnServer : public ::testing::TestWithParam<std::string_view> {
 protected:
  const Format& format() const { return find_format(GetParam()); }
  fs::path name() const { return "pets/data" + std::string(format().suffix); }
  fs::path here() const { return folder_ / "bucket" / name(); }
  fs::path there() const { return fs::path("s3://bucket") / name(); }

  std::vector<OwnedRecord> write(std::size_t count = 40) {
    std::vector<OwnedRecord> records;
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_cat = i < count / 2;
      const std::string key = fmt::format("{}/{:04}", kClasses[is_cat ? 0 : 1], i);
      records.push_back(sample_record(format().payload, key, is_cat ? 0 : 1, i));
    }
    fs::create_directories(here().parent_path());
    write_dataset(format(), here(), records, options_for(records, kClasses));
    return records;
  }

  void start() {
    server_.emplace(folder_.path(), server_keys());
    environment_.emplace(server_->url());
  }

  std::unique_ptr<RecordReader> open(const ReadOptions& options = {}) const {
    return open_dataset(there(), options);
  }

  nlohmann::json stats() const { return nlohmann::json::parse(server_->get("/-/stats")); }

  TempFolder folder_;
  std::optional<S3Server> server_;
  std::optional<S3Environment> environment_;
};

TEST_P(OnServer, returns_the_same_records_as_the_local_file) {
  const std::vector<OwnedRecord> records = write();
  start();
  const auto reader = open();
  EXPECT_EQ(reader->format(), format().name);
  EXPECT_EQ(reader->payload(), format().payload);
  EXPECT_EQ(read_all(*reader), records);
  const auto local = open_dataset(here());
  EXPECT_EQ(reader->class_names(), local->class_names());
  EXPECT_EQ(reader->layout(), local->layout());
  EXPECT_EQ(reader->locate(3).record, local->locate(3).record);
}

TEST_P(OnServer, returns_them_without_an_index) {
  const std::vector<OwnedRecord> records = write();
  fs::remove(here().string() + ".idx");
  start();
  EXPECT_EQ(read_all(*open()), records);
  EXPECT_FALSE(fs::exists(here().string() + ".idx"));
}

TEST_P(OnServer, accepts_a_folder_name_with_a_trailing_slash) {
  const std::vector<OwnedRecord> records = write();
  start();
  if (!fs::is_directory(here())) {
    EXPECT_THROW(static_cast<void>(open_dataset(there() / "")), Error);
    return;
  }
  EXPECT_EQ(read_all(*open_dataset(there() / "")), records);
}

TEST_P(OnServer, returns_them_from_a_server_that_answers_403_for_missing_objects) {
  const std::vector<OwnedRecord> records = write();
  start();
  server_->set_faults(R"([{"match": "classes.txt|[.]idx", "kind": "status", "status": 403}])");
  EXPECT_EQ(read_all(*open()), records);
}

TEST_P(OnServer, keeps_requests_in_flight_for_records_that_are_expected) {
  const std::vector<OwnedRecord> records = write();
  start();
  server_->set_faults(R"([{"match": "data", "kind": "delay", "ms": 20}])");
  const auto reader = open({.order = ReadOrder::kRandom, .requests_in_flight = 6});
  const auto cursor = reader->open_cursor();
  server_->clear_log();
  std::vector<std::uint64_t> batch{7, 3, 39, 0, 21, 12, 20, 5, 30, 31};
  for (int round = 0; round < 2; ++round) {
    cursor->expect(batch);
    for (const std::uint64_t index : batch) {
      EXPECT_EQ(own(cursor->read(index)), records[index]);
    }
    std::reverse(batch.begin(), batch.end());
  }
  EXPECT_GE(stats()["most_in_flight"], 4);
  EXPECT_LE(stats()["most_in_flight"], 7);
  // The second batch begins with the last record read, whose chunk Zarr still holds.
  const std::size_t held = format().name == "zarr" ? 1 : 0;
  EXPECT_EQ(nlohmann::json::parse(server_->get("/-/log")).size(), 2 * batch.size() - held);
}

TEST_P(OnServer, retries_transient_failures) {
  const std::vector<OwnedRecord> records = write(12);
  start();
  const auto reader = open();
  const auto before = remote_requests();
  server_->set_faults(R"([{"match": "data", "times": 2, "kind": "reset"},
                          {"match": "data", "times": 1, "kind": "truncate"},
                          {"match": "data", "times": 1, "kind": "status", "status": 503}])");
  EXPECT_EQ(read_all(*reader), records);
  EXPECT_EQ(remote_requests().repeated - before.repeated, 4U);
}

TEST_P(OnServer, names_the_object_that_a_server_refuses) {
  write(12);
  start();
  const auto reader = open();
  server_->set_faults(
      R"([{"match": "data", "kind": "status", "status": 403, "code": "AccessDenied"}])");
  const auto cursor = reader->open_cursor();
  try {
    static_cast<void>(cursor->read(1));
    FAIL();
  } catch (const ServerError& error) {
    EXPECT_THAT(error.what(), HasSubstr("s3://bucket/pets/data"));
    EXPECT_THAT(error.what(), HasSubstr("AccessDenied"));
  }
}

TEST_P(OnServer, detects_that_it_was_removed) {
  write(12);
  start();
  const auto reader = open();
  fs::remove_all(here());
  const auto cursor = reader->open_cursor();
  if (format().name == "zarr") {  // An absent chunk counts as zeros.
    EXPECT_THAT(text_of(cursor->read(1).payload), Each('\0'));
  } else {
    EXPECT_THROW(static_cast<void>(cursor->read(1)), Error);
  }
}

std::vector<std::string_view> formats_on_servers() {
  std::vector<std::string_view> names;
  for (const Format& one : formats()) {
    if (one.on_servers) names.push_back(one.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Formats, OnServer, ::testing::ValuesIn(formats_on_servers()),
                         [](const auto& row) { return std::string(row.param); });

class ServedShards : public ::testing::Test {
 protected:
  void start() {
    server_.emplace(folder_.path(), server_keys());
    environment_.emplace(server_->url());
  }

  // The number of GET requests for objects whose names end in `end`.
  std::size_t requests_for(std::string_view end) const {
    std::size_t count = 0;
    for (const auto& request : nlohmann::json::parse(server_->get("/-/log"))) {
      const bool is_get = request["method"] == "GET";
      count += is_get && request["path"].get<std::string>().ends_with(end) ? 1U : 0U;
    }
    return count;
  }

  TempFolder folder_;
  std::optional<S3Server> server_;
  std::optional<S3Environment> environment_;
};

TEST_F(ServedShards, of_a_folder_are_found_and_read_in_order) {
  const auto records = large_records(20);
  fs::create_directories(folder_ / "bucket");
  WriterOptions options = options_for(records);
  options.shard_bytes = 200'000;
  write_dataset(find_format("tar"), folder_ / "bucket/shards", records, options);
  start();
  const auto reader = open_dataset("s3://bucket/shards");
  EXPECT_GT(reader->files().size(), 2U);
  EXPECT_EQ(read_all(*reader), records);
}

// Opening a local dataset saves "a.tar.idx". A copy of it on the server saves the walk.
TEST_F(ServedShards, are_not_walked_if_there_is_an_index) {
  const auto records = large_records(40);
  write_file(folder_ / "bucket/x", "");
  write_dataset(find_format("tar"), folder_ / "bucket/a.tar", records, options_for(records));
  start();
  static_cast<void>(open_dataset("s3://bucket/a.tar"));
  EXPECT_GT(requests_for("a.tar"), 2U);
  EXPECT_LT(requests_for("a.tar"), 40U);  // Reads are larger than a header.
  static_cast<void>(open_dataset(folder_ / "bucket/a.tar"));
  ASSERT_TRUE(fs::exists(folder_ / "bucket/a.tar.idx"));
  server_->clear_log();
  const auto reader = open_dataset("s3://bucket/a.tar");
  EXPECT_EQ(requests_for("a.tar"), 0U);
  EXPECT_EQ(read_all(*reader), records);
  // An archive of another size does not match the index.
  write_file(folder_ / "bucket/a.tar",
             read_file(folder_ / "bucket/a.tar") + std::string(512, '\0'));
  fs::last_write_time(folder_ / "bucket/a.tar", fs::last_write_time(folder_ / "bucket/a.tar.idx"));
  server_->clear_log();
  EXPECT_EQ(read_all(*open_dataset("s3://bucket/a.tar")), records);
  EXPECT_GT(requests_for("a.tar"), 40U);
}

TEST_F(ServedShards, detect_that_they_were_replaced) {
  const auto records = large_records(4);
  write_file(folder_ / "bucket/x", "");
  write_dataset(find_format("tar"), folder_ / "bucket/a.tar", records, options_for(records));
  start();
  const auto reader = open_dataset("s3://bucket/a.tar");
  const std::string content = read_file(folder_ / "bucket/a.tar");
  write_file(folder_ / "bucket/a.tar", std::string(content.size(), 'x'));
  const auto cursor = reader->open_cursor();
  EXPECT_THROW(static_cast<void>(cursor->read(0)), FormatError);
}

TEST_F(ServedShards, of_http_are_read_too) {
  const auto records = large_records(6);
  write_file(folder_ / "bucket/x", "");
  write_dataset(find_format("zip"), folder_ / "bucket/a.zip", records, options_for(records));
  server_.emplace(folder_.path());
  EXPECT_EQ(read_all(*open_dataset(server_->url() + "/bucket/a.zip")), records);
}

TEST_F(ServedShards, of_formats_that_need_a_file_are_refused) {
  const auto records = large_records(3);
  write_file(folder_ / "bucket/x", "");
  write_dataset(find_format("lmdb"), folder_ / "bucket/a.lmdb", records, options_for(records));
  write_file(folder_ / "bucket/b.h5", "\x89HDF\r\n\x1A\n");
  start();
  for (const char* name : {"a.lmdb", "b.h5", "none.tar"}) {
    EXPECT_THROW(static_cast<void>(open_dataset(fs::path("s3://bucket") / name)), ConfigError)
        << name;
  }
}

}  // namespace
}  // namespace feedrate::testing
