// SPDX-License-Identifier: Apache-2.0
// Datasets on a server: the same samples, faults by name, and no secret in any output.
#include <csignal>
#include <optional>

#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "analysis/report/load_run.h"
#include "tests/program/workspace.h"
#include "tests/support/s3_server.h"

namespace feedrate::testing {
namespace {

class OnServer : public Workspace {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(path("served/bucket"));
    prepare("data make served/bucket/a.tar --count 64 --size 32");
    server_.emplace(path("served"), server_keys());
    environment_.emplace(server_->url());
  }

  std::optional<S3Server> server_;
  std::optional<S3Environment> environment_;
};

std::vector<std::string> with_session_token(const std::string& token) {
  std::vector<std::string> options = server_keys();
  options.insert(options.end(), {"--session-token", token});
  return options;
}

constexpr const char* kDataset = "path: 's3://bucket/a.tar', batched_reads: [false, true]";

TEST_F(OnServer, a_sweep_reads_every_batch) {
  write("s3.yaml", sweep_config(std::string(kDataset) + ", requests_in_flight: [1, 8]",
                                "batch_size: 4, num_workers: [0, 2]"));
  prepare("sweep s3.yaml --out results");
  const RunResult run = load_run(path("results"));
  std::size_t measured = 0;
  for (const CellResult& cell : run.cells) {
    if (cell.outcome != Outcome::kOk) continue;
    ++measured;
    ASSERT_NE(find_metric(cell.metrics, "server_requests"), nullptr);
    EXPECT_GE(*find_metric(cell.metrics, "server_requests"), 16.0);
    EXPECT_EQ(*find_metric(cell.metrics, "server_requests_repeated"), 0.0);
  }
  EXPECT_GE(measured, 6U);  // inline and by processes: each one by one, and with 1 or 8 in flight
}

TEST_F(OnServer, its_records_are_those_of_the_file) {
  prepare("data verify s3://bucket/a.tar served/bucket/a.tar");
  EXPECT_THAT(feedrate("data info s3://bucket/a.tar").out, HasSubstr("64"));
  prepare("data convert s3://bucket/a.tar here.zip");
  prepare("data verify here.zip served/bucket/a.tar");
}

TEST_F(OnServer, what_data_info_prints_for_a_configuration_is_swept) {
  const std::string out = feedrate("data info s3://bucket/a.tar").out;
  const std::string dataset = "dataset: {path: 's3://bucket/a.tar'}\n";
  EXPECT_THAT(out, HasSubstr("In a configuration:\n  " + dataset));
  write("s3.yaml", dataset +
                       "trainer: {kind: discard}\ndevice: {name: 'sim:h100-pcie5'}\n"
                       "measure: {steps: 4, repeats: 1, limits: false}\n");
  EXPECT_THAT(succeeds("plan s3.yaml").out, HasSubstr("1 cell"));
}

TEST_F(OnServer, a_token_that_a_server_echoes_is_in_no_result) {
  server_.emplace(path("served"), with_session_token("token-of-the-session"));
  environment_.emplace(server_->url());
  const ScopedVariable token("AWS_SESSION_TOKEN", "token-of-the-session");
  write("s3.yaml", sweep_config("path: 's3://bucket/a.tar'", "batch_size: 4, num_workers: 0"));
  prepare("plan s3.yaml");
  server_->set_faults(R"([{"match": "a.tar$", "kind": "echo"}])");
  const Finished done = feedrate("sweep s3.yaml --out results");
  EXPECT_NE(done.exit_code, 0);
  EXPECT_THAT(done.out + done.err, HasSubstr("***"));
  EXPECT_THAT(done.out + done.err, Not(HasSubstr("token-of-the-session")));
  for (const char* file : {"results/cells.csv", "results/run.json", "results/table.md"}) {
    if (!std::filesystem::exists(path(file))) continue;
    EXPECT_THAT(read(file), Not(HasSubstr("token-of-the-session"))) << file;
  }
}

TEST_F(OnServer, a_server_that_fails_for_a_moment_costs_time_only) {
  server_->set_faults(R"([{"match": "a.tar", "times": 2, "kind": "reset"},
                          {"match": "a.tar", "times": 2, "kind": "status", "status": 503}])");
  write("s3.yaml", sweep_config(kDataset, "batch_size: 4, num_workers: 2"));
  prepare("sweep s3.yaml --out results");
}

TEST_F(OnServer, a_server_that_refuses_is_named) {
  write("s3.yaml", sweep_config("path: 's3://bucket/a.tar'", "batch_size: 4, num_workers: 2"));
  const ScopedVariable secret("AWS_SECRET_ACCESS_KEY", "another");
  const Finished done = feedrate("sweep s3.yaml --out results");
  EXPECT_NE(done.exit_code, 0);
  EXPECT_THAT(done.err, HasSubstr("s3://bucket/a.tar"));
  EXPECT_THAT(done.err, HasSubstr("SignatureDoesNotMatch"));
}

// The server is silent while the dataset is opened, or while records are read, inline and by
// workers.
TEST_F(OnServer, a_silent_server_does_not_delay_a_stop) {
  write("s3.yaml", sweep_config("path: 's3://bucket/a.tar'", "batch_size: 4, num_workers: 0"));
  for (const std::size_t times : {0U, 40U}) {
    for (const char* workers : {"0", "2"}) {
      server_->clear_log();
      server_->set_faults(
          fmt::format(R"([{{"match": "a.tar", "times": {}, "kind": "delay", "ms": 0}},
                          {{"match": "a.tar", "kind": "hang"}}])",
                      times));
      FeedrateChild child(
          fmt::format("sweep s3.yaml --steps 1000 --axis num_workers={} --out r", workers),
          setup());
      EXPECT_TRUE(child.wait_until(
          [&] { return nlohmann::json::parse(server_->get("/-/log")).size() > times; }));
      child.send(SIGINT);
      EXPECT_EQ(child.wait().exit_code, 130);
    }
  }
}

// The measuring thread reads the records. The server is silent for 30 s before a request is
// repeated.
TEST_F(OnServer, a_cell_without_workers_ends_at_its_timeout) {
  write("s3.yaml", sweep_config("path: 's3://bucket/a.tar'", "batch_size: 4, num_workers: 0"));
  server_->set_faults(R"([{"match": "a.tar", "times": 400, "kind": "delay", "ms": 0},
                          {"match": "a.tar", "kind": "hang"}])");
  const Finished done =
      feedrate("sweep s3.yaml --steps 1000 --cell-timeout 1 --repeats 1 --no-limits --out r");
  EXPECT_EQ(done.exit_code, 1) << done.err;
  EXPECT_THAT(load_run(path("r")).cells.front().reason,
              HasSubstr("took longer than measure.cell_timeout_s, 1"))
      << done.out << done.err;
}

TEST_F(OnServer, settings_that_a_server_lacks_are_refused) {
  write("s3.yaml", sweep_config("path: 's3://bucket/a.tar', cache: [as-is, cold], staging: [none, "
                                "copy], format: zip"));
  refuses("plan s3.yaml", {"cache cold", "staging copy", "data convert"});
}

TEST_F(OnServer, the_secret_is_in_no_file_and_no_output) {
  write("s3.yaml", sweep_config(kDataset, "batch_size: 4, num_workers: 2"));
  const Finished done = succeeds("sweep s3.yaml --out results");
  prepare("report results --out page.html");
  EXPECT_THAT(done.out + done.err, Not(HasSubstr(kServerSecretKey)));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path(""))) {
    if (!entry.is_regular_file()) continue;
    EXPECT_THAT(read_file(entry.path()), Not(HasSubstr(kServerSecretKey))) << entry.path();
  }
}

// The sweep waits for its server when it dumps core.
TEST_F(OnServer, the_secret_is_in_no_core) {
  if (read_file("/proc/sys/kernel/core_pattern") != "core\n") {
    GTEST_SKIP() << "kernel.core_pattern is not \"core\": this system keeps core dumps elsewhere";
  }
  write("s3.yaml", sweep_config(kDataset, "batch_size: 4, num_workers: 2"));
  server_->set_faults(R"([{"match": "a.tar", "kind": "hang"}])");
  ChildSetup dumping = setup();
  dumping.before_exec = [] {
    const rlimit all{RLIM_INFINITY, RLIM_INFINITY};
    // sanitizers disable core dumps
    return ::setrlimit(RLIMIT_CORE, &all) == 0 &&
           ::setenv("ASAN_OPTIONS", "disable_coredump=0", 1) == 0;
  };
  FeedrateChild child("sweep s3.yaml --out hung", dumping);
  EXPECT_TRUE(
      child.wait_until([&] { return !nlohmann::json::parse(server_->get("/-/log")).empty(); }));
  child.send(SIGABRT);
  EXPECT_EQ(child.wait().exit_code, 128 + SIGABRT);
  std::size_t cores = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path(""))) {
    if (!entry.path().filename().string().starts_with("core")) continue;
    ++cores;
    EXPECT_TRUE(read_file(entry.path()).find(kServerSecretKey) == std::string::npos);
  }
  EXPECT_EQ(cores, 1U);
}

}  // namespace
}  // namespace feedrate::testing
