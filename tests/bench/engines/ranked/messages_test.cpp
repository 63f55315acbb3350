// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/ranked/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(RankRequest, survives_the_round_trip) {
  RankRequest request;
  request.config_name = "s";
  request.config_text = "# What?\ndataset: {path: ds}\n";
  request.steps = 7;
  request.epochs = 0;
  request.seed = std::uint64_t{1} << 63;
  request.catalog["tar"] = {"a \"b\".tar", "is \xff damaged", 12, 345};
  request.catalog["tar staged ram"] = {"c.tar", "", 12, 345};
  request.catalog["tar staged ram"].staged = StagedDataset{"c.tar", 345, 2.5, nullptr};
  request.settings = {{"ranks", std::int64_t{4}}, {"step_ms", 1.5}};
  const RankRequest back = request_from_text(to_text(request));
  EXPECT_EQ(back.config_text, request.config_text);
  EXPECT_EQ(back.seed, request.seed);
  EXPECT_EQ(back.catalog.at("tar").path, "a \"b\".tar");
  EXPECT_EQ(back.catalog.at("tar").records, 12U);
  EXPECT_FALSE(back.catalog.at("tar").staged);
  ASSERT_TRUE(back.catalog.at("tar staged ram").staged);
  EXPECT_EQ(back.catalog.at("tar staged ram").staged->seconds, 2.5);
  EXPECT_EQ(back.settings, request.settings);
  EXPECT_EQ(back.config().measure.steps, 7U);
  EXPECT_EQ(back.config().measure.epochs, 0U);
  EXPECT_EQ(back.config().measure.seed, request.seed);
}

TEST(RankReport, survives_the_round_trip) {
  RankReport report;
  report.figures.rank = 3;
  report.figures.local_rank = 1;
  report.figures.node = "n2";
  report.figures.cores = "4-7";
  report.figures.gpu_numa_node = "1";
  report.figures.all_reduce = "NCCL 2.27.3";
  report.repeat.metrics = {{"samples_per_second", 12.25}};
  report.repeat.series["step_time"] = {0.1, 0.2};
  report.damaged = {"x.png"};
  report.warnings = {"A node has fewer cores than ranks."};
  const RankReport back = report_from_text(to_text(report));
  EXPECT_EQ(back.error, "");
  EXPECT_EQ(back.figures.rank, 3U);
  EXPECT_EQ(back.figures.node, "n2");
  EXPECT_EQ(back.figures.gpu_numa_node, "1");
  EXPECT_EQ(back.figures.all_reduce, "NCCL 2.27.3");
  EXPECT_EQ(*find_metric(back.repeat.metrics, "samples_per_second"), 12.25);
  EXPECT_THAT(back.repeat.series.at("step_time"), ElementsAre(0.1, 0.2));
  EXPECT_TRUE(back.repeat.ranks.empty());
  EXPECT_EQ(back.damaged, report.damaged);
  EXPECT_EQ(back.warnings, report.warnings);
}

TEST(RankMessages, that_are_invalid_are_refused) {
  EXPECT_THAT([] { static_cast<void>(request_from_text("{\"steps\": 1}")); },
              ThrowsMessage<Error>(HasSubstr("start the same program on all nodes")));
  EXPECT_THAT([] { static_cast<void>(report_from_text("no JSON")); },
              ThrowsMessage<Error>(HasSubstr("a rank's message")));
  EXPECT_THAT([] { static_cast<void>(report_from_text(std::string(100'000, '['))); },
              ThrowsMessage<Error>("a rank's message: JSON is nested more than 64 deep; start the "
                                   "same program on all nodes"));
}

}  // namespace
}  // namespace feedrate
