// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include <nlohmann/json.hpp>

#include "tests/program/workspace.h"

namespace feedrate::testing {
namespace {

using LimitsCommand = Workspace;

TEST_F(LimitsCommand, prints_a_table) {
  const Finished done = succeeds("limits --only memory/copy_in_cache --min-time 0.0001");
  EXPECT_THAT(done.out, AllOf(HasSubstr("Memory: "), HasSubstr("copy in cache  64 KiB"),
                              ContainsRegex(" [0-9.,]+ [MG]B/s"), Not(HasSubstr("Storage: "))));
  EXPECT_THAT(done.err, HasSubstr("[2/2] memory/copy_in_cache/1MiB/threads:1"));
  prepare("limits --only sequential_warm/1MiB/threads:1 --min-time 0.0001");
  EXPECT_THAT(listing(), IsEmpty());
}

TEST_F(LimitsCommand, json_is_a_document) {
  const Finished done = succeeds("limits --json --only to_uint8|device --min-time 0.0001");
  const auto document = nlohmann::json::parse(done.out);
  const auto& row = document.at("limits").at(0);
  EXPECT_EQ(row.at("topic"), "transforms");
  EXPECT_EQ(row.at("unit"), "images/s");
  EXPECT_GT(row.at("value"), 0.0);
  EXPECT_EQ(document.at("interrupted"), false);
  EXPECT_TRUE(document.at("environment").contains("cpus_usable"));
}

TEST_F(LimitsCommand, measures_the_dataset_of_a_sweep) {
  make_images();
  write("s.yaml", sweep_config("path: ds"));
  EXPECT_THAT(succeeds("limits s.yaml --only dataset --min-time 0.0001").out,
              AllOf(HasSubstr("read and make samples"), HasSubstr("samples/s")));
}

TEST_F(LimitsCommand, measures_sequences_of_tokens) {
  prepare("data make ds --preset tokens-like --count 10 --format tfrecord");
  write("s.yaml", sweep_config("path: ds") + "pipeline: {transforms: [tokens: 100]}\n");
  EXPECT_THAT(succeeds("limits s.yaml --only dataset --min-time 0.0001").out,
              HasSubstr("read and make samples"));
}

TEST_F(LimitsCommand, refuses_what_it_cannot_do) {
  EXPECT_THAT(feedrate("limits --only (").err, HasSubstr("--only (: not a regular expression"));
  refuses("limits --only (", {});
  EXPECT_THAT(feedrate("limits --only memroy").err, HasSubstr("memroy: matches no limit"));
  refuses("limits --min-time 0");
  refuses("limits nowhere.yaml");
  refuses("limits --folder nowhere", {"nowhere: not a folder"});
}

TEST_F(LimitsCommand, an_interrupt_keeps_the_results) {
  FeedrateChild child("limits --only sequential_cold --min-time 0.5", setup());
  ASSERT_TRUE(child.wait_for_error_text("[2/6] "));
  child.send(SIGINT);
  const Finished done = child.wait();
  EXPECT_EQ(done.exit_code, 130);
  EXPECT_THAT(done.out, HasSubstr("sequential cold  4 KiB"));
  EXPECT_THAT(done.err, HasSubstr("interrupted; the measured limits are printed"));
  EXPECT_THAT(listing(), IsEmpty());
}

}  // namespace
}  // namespace feedrate::testing
