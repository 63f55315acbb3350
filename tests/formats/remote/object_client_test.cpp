// SPDX-License-Identifier: Apache-2.0
// Tests the client with a real server, s3_server.py, that injects faults.
#include "formats/remote/object_client.h"

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "tests/support/matchers.h"
#include "tests/support/s3_server.h"
#include "tests/support/temp_folder.h"

namespace feedrate::testing {
namespace {

using namespace std::chrono_literals;

class ObjectClientTest : public ::testing::Test {
 protected:
  ObjectClientTest() {
    for (int i = 0; i < 100'000; ++i) content_ += static_cast<char>(i * 7 + i / 251);
    write_file(folder_ / "data/a", content_);
    write_file(folder_ / "data/with space/ü+%&.bin", "named");
  }

  void start(const std::vector<std::string>& options = server_keys()) {
    server_.emplace(folder_.path(), options);
    environment_.emplace(server_->url());
  }

  [[nodiscard]] static ObjectClient make_client(RemoteTimeouts timeouts = {.first_pause = 1ms}) {
    return ObjectClient(read_s3_settings(), timeouts);
  }

  static std::string get(ObjectClient& client, const ObjectRequest& request) {
    const auto transfer = client.start(request);
    return std::string(client.wait(*transfer).body);
  }

  // The message of the exception; empty if none.
  static std::string problem_of(ObjectClient& client, const ObjectRequest& request) {
    try {
      static_cast<void>(get(client, request));
      return {};
    } catch (const Error& error) {
      return error.what();
    }
  }

  [[nodiscard]] nlohmann::json stats() const {
    return nlohmann::json::parse(server_->get("/-/stats"));
  }

  TempFolder folder_;
  std::string content_;
  std::optional<S3Server> server_;
  std::optional<S3Environment> environment_;
};

TEST_F(ObjectClientTest, gets_objects_and_parts_of_them) {
  start();
  ObjectClient client = make_client();
  EXPECT_EQ(get(client, {.path = "s3://data/a"}), content_);
  EXPECT_EQ(get(client, {.path = "s3://data/a", .range = ObjectRange{1000, 50}}),
            content_.substr(1000, 50));
  EXPECT_EQ(get(client, {.path = "s3://data/with space/ü+%&.bin"}), "named");
  EXPECT_EQ(stats()["connections"], 2);  // The second one is from stats() itself.
}

TEST_F(ObjectClientTest, keeps_many_requests_in_flight) {
  start();
  ObjectClient client = make_client();
  server_->set_faults(R"([{"match": "data/a", "kind": "delay", "together": 8}])");
  std::vector<ObjectClient::TransferPtr> transfers;
  for (std::uint64_t i = 0; i < 8; ++i) {
    transfers.push_back(client.start({.path = "s3://data/a", .range = ObjectRange{i * 100, 100}}));
  }
  for (std::size_t i = transfers.size(); i-- > 0;) {  // In any order.
    EXPECT_EQ(client.wait(*transfers[i]).body, content_.substr(i * 100, 100));
  }
  EXPECT_GE(stats()["most_in_flight"], 8);
}

TEST_F(ObjectClientTest, says_that_an_object_is_not_there) {
  start();
  ObjectClient client = make_client();
  const auto transfer = client.start({.path = "s3://data/none"});
  EXPECT_EQ(client.wait(*transfer).status, 404);
}

TEST_F(ObjectClientTest, retries_transient_failures) {
  start();
  ObjectClient client = make_client();
  for (const char* kind :
       {R"("kind": "reset")", R"("kind": "truncate")", R"("kind": "status", "status": 503)",
        R"("kind": "status", "status": 500)",
        R"("kind": "status", "status": 429, "retry_after": 0)", R"("kind": "corrupt")"}) {
    server_->set_faults(std::string(R"([{"match": "data/a", "times": 2, )") + kind + "}]");
    const RemoteRequests before = remote_requests();
    EXPECT_EQ(get(client, {.path = "s3://data/a"}), content_) << kind;
    const RemoteRequests after = remote_requests();
    EXPECT_EQ(after.sent - before.sent, 3U) << kind;
    EXPECT_EQ(after.repeated - before.repeated, 2U) << kind;
  }
}

TEST_F(ObjectClientTest, retries_after_silence) {
  start();
  ObjectClient client = make_client({.silence = 1s, .first_pause = 1ms});
  for (const char* kind : {"hang", "stall"}) {
    server_->set_faults(std::string(R"([{"match": "data/a", "times": 1, "kind": ")") + kind +
                        "\"}]");
    EXPECT_EQ(get(client, {.path = "s3://data/a"}), content_) << kind;
  }
}

TEST_F(ObjectClientTest, gives_up_after_its_tries_and_says_why) {
  start();
  const ScopedVariable tries("AWS_MAX_ATTEMPTS", "3");
  ObjectClient client = make_client();
  server_->set_faults(
      R"([{"match": "data/a", "kind": "status", "status": 503, "code": "SlowDown"}])");
  const RemoteRequests before = remote_requests();
  const std::string problem = problem_of(client, {.path = "s3://data/a"});
  EXPECT_EQ(remote_requests().sent - before.sent, 3U);
  EXPECT_THAT(problem, AllOf(HasSubstr("s3://data/a"), HasSubstr("503"), HasSubstr("SlowDown"),
                             HasSubstr("3 tries")));
  for (const char* kind : {"reset", "truncate", "corrupt"}) {
    server_->set_faults(std::string(R"([{"match": "data/a", "kind": ")") + kind + "\"}]");
    EXPECT_THAT(problem_of(client, {.path = "s3://data/a"}), HasSubstr("3 tries"));
  }
}

TEST_F(ObjectClientTest, has_a_limit_for_all_its_tries) {
  start();
  ObjectClient client = make_client({.silence = 1s, .total = 1500ms, .first_pause = 1ms});
  server_->set_faults(R"([{"match": "data/a", "kind": "hang"}])");
  EXPECT_THAT(problem_of(client, {.path = "s3://data/a"}), HasSubstr("given up"));
}

TEST_F(ObjectClientTest, does_not_retry_refusals) {
  start();
  ObjectClient client = make_client();
  const ScopedVariable secret("AWS_SECRET_ACCESS_KEY", "another");
  ObjectClient wrong = make_client();
  const ScopedVariable key("AWS_ACCESS_KEY_ID", "");
  ObjectClient anonymous = make_client();
  const RemoteRequests before = remote_requests();
  const std::string signed_problem = problem_of(wrong, {.path = "s3://data/a"});
  EXPECT_THAT(signed_problem, AllOf(HasSubstr("SignatureDoesNotMatch"), Not(HasSubstr("another"))));
  const std::string problem = problem_of(anonymous, {.path = "s3://data/a"});
  EXPECT_THAT(problem, HasSubstr("not signed"));
  EXPECT_EQ(remote_requests().sent - before.sent, 2U);
}

TEST_F(ObjectClientTest, repeats_no_secret_that_a_server_echoes) {
  std::vector<std::string> options = server_keys();
  options.insert(options.end(), {"--session-token", "T+/secret="});
  start(options);
  const ScopedVariable token("AWS_SESSION_TOKEN", "T+/secret=");
  server_->set_faults(R"([{"match": "data/a", "kind": "echo"}])");
  ObjectClient client = make_client();
  const std::string problem = problem_of(client, {.path = "s3://data/a"});
  EXPECT_THAT(problem, AllOf(HasSubstr("security-token: ***"), Not(HasSubstr("secret="))));
}

TEST_F(ObjectClientTest, signs_with_a_session_token) {
  std::vector<std::string> options = server_keys();
  options.insert(options.end(), {"--session-token", "T+/="});
  start(options);
  ObjectClient without = make_client();
  EXPECT_NE(problem_of(without, {.path = "s3://data/a"}), "");
  const ScopedVariable token("AWS_SESSION_TOKEN", "T+/=");
  ObjectClient client = make_client();
  EXPECT_EQ(get(client, {.path = "s3://data/a"}), content_);
}

TEST_F(ObjectClientTest, names_the_region_of_the_bucket) {
  std::vector<std::string> options = server_keys();
  options.insert(options.end(), {"--region", "eu-west-1"});
  start(options);
  ObjectClient client = make_client();
  EXPECT_THAT(problem_of(client, {.path = "s3://data/a"}), HasSubstr("AWS_REGION=eu-west-1"));
}

TEST_F(ObjectClientTest, refuses_a_server_without_ranges) {
  start({"--no-ranges"});
  ObjectClient client = make_client();
  EXPECT_THAT(problem_of(client, {.path = "s3://data/a", .range = ObjectRange{5, 10}}),
              HasSubstr("ranges"));
  EXPECT_EQ(get(client, {.path = "s3://data/a", .range = ObjectRange{0, content_.size()}}),
            content_);
}

TEST_F(ObjectClientTest, sends_no_if_match_for_a_weak_etag) {
  start({"--weak-etags"});
  ObjectClient client = make_client();
  const auto transfer = client.start({.path = "s3://data/a", .head_only = true});
  const std::string etag(client.wait(*transfer).header("etag"));
  EXPECT_TRUE(etag.starts_with("W/")) << etag;
  EXPECT_EQ(get(client, {.path = "s3://data/a", .range = ObjectRange{0, 10}, .etag = etag}),
            content_.substr(0, 10));
}

TEST_F(ObjectClientTest, detects_a_replaced_object) {
  start();
  ObjectClient client = make_client();
  const auto transfer = client.start({.path = "s3://data/a", .head_only = true});
  const std::string etag(client.wait(*transfer).header("etag"));
  EXPECT_NE(etag, "");
  write_file(folder_ / "data/a", std::string(content_.size(), 'x'));
  const auto part =
      client.start({.path = "s3://data/a", .range = ObjectRange{0, 10}, .etag = etag});
  EXPECT_THROW(static_cast<void>(client.wait(*part)), FormatError);
}

TEST_F(ObjectClientTest, cancels_a_destroyed_transfer) {
  start();
  ObjectClient client = make_client();
  server_->set_faults(R"([{"match": "space", "kind": "hang"}])");
  client.start({.path = "s3://data/with space/ü+%&.bin"}).reset();
  EXPECT_EQ(get(client, {.path = "s3://data/a"}), content_);
}

TEST_F(ObjectClientTest, limits_the_size_of_an_object) {
  start();
  ObjectClient client = make_client();
  EXPECT_NE(problem_of(client, {.path = "s3://data/a", .most_bytes = 1000}), "");
}

TEST_F(ObjectClientTest, reads_http_without_a_signature) {
  start({});
  ObjectClient client = make_client();
  EXPECT_EQ(get(client, {.path = server_->url() + "/data/a", .range = ObjectRange{3, 4}}),
            content_.substr(3, 4));
}

TEST_F(ObjectClientTest, trusts_only_known_certificates) {
  const std::string certificate = (folder_ / "server.pem").string();
  std::vector<std::string> options = server_keys();
  options.insert(options.end(), {"--tls", certificate});
  start(options);
  {
    const ScopedVariable trusted("AWS_CA_BUNDLE", certificate);
    ObjectClient client = make_client();
    EXPECT_EQ(get(client, {.path = "s3://data/a", .range = ObjectRange{3, 4}}),
              content_.substr(3, 4));
  }
  ObjectClient untrusting = make_client();
  const std::string problem = problem_of(untrusting, {.path = "s3://data/a"});
  EXPECT_THAT(problem,
              AllOf(HasSubstr("s3://data/a"), HasSubstr("AWS_CA_BUNDLE"), Not(HasSubstr("tries"))));
}

TEST_F(ObjectClientTest, says_that_there_is_no_server) {
  start();
  const ScopedVariable tries("AWS_MAX_ATTEMPTS", "2");
  const std::string url = server_->url();
  server_.reset();
  ObjectClient client = make_client();
  EXPECT_THAT(problem_of(client, {.path = "s3://data/a"}), HasSubstr("2 tries"));
}

}  // namespace
}  // namespace feedrate::testing
