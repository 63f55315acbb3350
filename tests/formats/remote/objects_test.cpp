// SPDX-License-Identifier: Apache-2.0
#include "formats/remote/objects.h"

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "tests/support/matchers.h"
#include "tests/support/s3_server.h"
#include "tests/support/temp_folder.h"

namespace feedrate::testing {
namespace {

class RemoteObjectsTest : public ::testing::Test {
 protected:
  void start() {
    server_.emplace(folder_.path(), server_keys());
    environment_.emplace(server_->url());
  }

  [[nodiscard]] std::size_t requests() const {
    return nlohmann::json::parse(server_->get("/-/log")).size();
  }

  static std::string text_of(const std::optional<Bytes>& bytes) {
    if (!bytes) return "nothing";
    return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
  }

  TempFolder folder_;
  std::optional<S3Server> server_;
  std::optional<S3Environment> environment_;
};

TEST_F(RemoteObjectsTest, have_size_time_and_etag) {
  write_file(folder_ / "data/a", "abc");
  start();
  RemoteObjects objects;
  const auto info = objects.info("s3://data/a");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->size, 3U);
  EXPECT_NE(info->etag, "");
  EXPECT_GT(info->mtime_ns, 0);
  EXPECT_FALSE(objects.info("s3://data/none"));
}

TEST_F(RemoteObjectsTest, are_listed_by_folder_or_recursively) {
  for (const char* name : {"x/b/2", "x/a/1", "x/c", "x/ü &+", "xy", "y/1"}) {
    write_file(folder_ / (std::string("data/") + name), "content");
  }
  start();
  RemoteObjects objects;
  const RemoteFolder flat = objects.list("s3://data/x", false);
  EXPECT_EQ(flat.folders, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(flat.objects.size(), 2U);
  EXPECT_EQ(flat.objects[0].key, "c");
  EXPECT_EQ(flat.objects[1].key, "ü &+");
  EXPECT_EQ(flat.objects[0].info.size, 7U);
  const RemoteFolder deep = objects.list("s3://data/x/", true);
  EXPECT_TRUE(deep.folders.empty());
  ASSERT_EQ(deep.objects.size(), 4U);
  EXPECT_EQ(deep.objects[0].key, "a/1");
  EXPECT_EQ(objects.list("s3://data", false).folders, (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(objects.list("s3://data/none", true).objects.empty());
  EXPECT_THROW(static_cast<void>(objects.list("s3://none/x", true)), ServerError);
  EXPECT_TRUE(objects.list(server_->url() + "/data/x", true).objects.empty());
}

TEST_F(RemoteObjectsTest, are_listed_page_by_page) {
  for (int i = 0; i < 1'234; ++i) {
    write_file(folder_ / ("data/many/" + std::to_string(10'000 + i)), "");
  }
  start();
  RemoteObjects objects;
  const RemoteFolder all = objects.list("s3://data/many", true);
  ASSERT_EQ(all.objects.size(), 1'234U);
  EXPECT_EQ(all.objects.front().key, "10000");
  EXPECT_EQ(all.objects.back().key, "11233");
  EXPECT_EQ(requests(), 2U);
  EXPECT_EQ(objects.list("s3://data/many", true, 10).objects.size(), 10U);
}

TEST_F(RemoteObjectsTest, refuse_an_endless_list) {
  write_file(folder_ / "data/a", "abc");
  start();
  RemoteObjects objects;
  const auto list = [&] { static_cast<void>(objects.list("s3://data/x", true)); };
  server_->set_faults(R"([{"match": "list-type", "kind": "again"}])");
  EXPECT_THAT(list,
              ThrowsMessage<ServerError>("s3://data/x: the server lists the same page again"));
  server_->set_faults(R"([{"match": "list-type", "kind": "endless"}])");
  EXPECT_THAT(list, ThrowsMessage<ServerError>(HasSubstr(
                        "s3://data/x: the server's list has 0 names on 1001 pages and goes on")));
  server_->set_faults(R"([{"match": "list-type", "kind": "pad", "bytes": 9000000}])");
  EXPECT_THAT(list, ThrowsMessage<ServerError>(HasSubstr("sends more than the 8388608 bytes")));
}

TEST(EndOfList, comes_after_five_million_names_or_many_short_pages) {
  require_end_of_list("s3://data/x", 5'000'000, 5'000);
  require_end_of_list("s3://data/x", 100'000, 11'000);
  EXPECT_THROW(require_end_of_list("s3://data/x", 5'000'001, 5'001), ServerError);
  EXPECT_THROW(require_end_of_list("s3://data/x", 100'000, 11'001), ServerError);
}

TEST_F(RemoteObjectsTest, are_requested_together_and_once_when_expected) {
  for (int i = 0; i < 20; ++i) {
    write_file(folder_ / ("data/" + std::to_string(i)), std::to_string(i));
  }
  start();
  server_->set_faults(R"([{"match": "data/", "kind": "delay", "ms": 50}])");
  RemoteObjects objects(4);
  for (int i = 0; i < 20; ++i) {
    objects.expect("s3://data/" + std::to_string(i), "", std::nullopt);
  }
  objects.send();
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(text_of(objects.read("s3://data/" + std::to_string(i), "", std::nullopt)),
              std::to_string(i));
  }
  EXPECT_EQ(requests(), 20U);
  const auto most = nlohmann::json::parse(server_->get("/-/stats"))["most_in_flight"];
  EXPECT_GE(most, 3);
  EXPECT_LE(most, 5);  // The next request is sent while one result is returned.
}

TEST_F(RemoteObjectsTest, are_no_longer_expected_after_other_expectations) {
  write_file(folder_ / "data/a", "a");
  write_file(folder_ / "data/b", "b");
  start();
  RemoteObjects objects(1);
  const std::uint64_t before = remote_requests().sent;
  objects.expect("s3://data/a", "", std::nullopt);
  objects.send();
  EXPECT_EQ(remote_requests().sent - before, 1U);
  objects.expect("s3://data/b", "", ObjectRange{0, 1});
  objects.send();
  EXPECT_EQ(remote_requests().sent - before, 2U);  // Only one was in flight.
  EXPECT_EQ(text_of(objects.read("s3://data/b", "", ObjectRange{0, 1})), "b");
  EXPECT_EQ(text_of(objects.read("s3://data/a", "", std::nullopt)), "a");
  EXPECT_EQ(text_of(objects.read("s3://data/c", "", std::nullopt)), "nothing");
}

}  // namespace
}  // namespace feedrate::testing
