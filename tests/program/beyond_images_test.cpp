// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/load_run.h"
#include "tests/program/workspace.h"

namespace feedrate::testing {
namespace {

class BeyondImages : public Workspace {
 protected:
  void write_sweep(std::string_view dataset, std::string_view pipeline, std::string_view loader) {
    write("s.yaml", fmt::format("# What does it cost?\n"
                                "engine: native\ndataset: {{path: ds, {}}}\n"
                                "pipeline: {{{}}}\n"
                                "loader: {{{}}}\n"
                                "device: {{name: 'sim:h100-pcie5'}}\n"
                                "trainer: {{step_ms: 1}}\n"
                                "measure: {{steps: 50, repeats: 3, epochs: 0, limits: false}}\n",
                                dataset, pipeline, loader));
  }

  std::vector<CellResult> sweep() {
    const Finished done = succeeds("sweep s.yaml --out results");
    messages_ = done.err;
    return load_run(path("results")).cells;
  }

  static double metric(const CellResult& cell, const char* tag) {
    const double* const value = find_metric(cell.metrics, tag);
    EXPECT_NE(value, nullptr) << tag << ": " << cell.reason;
    return value == nullptr ? 0.0 : *value;
  }

  std::string messages_;
};

TEST_F(BeyondImages, less_padding_means_less_to_compute) {
  write_sweep("make: {preset: tokens-like, count: 400, format: tfrecord}",
              "transforms: [tokens: 2048], padding: [max_length, longest]",
              "batch_size: 8, shuffle: true, group_by_length: [false, true]");
  const std::vector<CellResult> cells = sweep();
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_EQ(cells[1].outcome, Outcome::kSkipped);
  EXPECT_THAT(cells[1].reason, HasSubstr("all sequences are padded to one length"));
  const auto compute = [&](std::size_t i) {
    return least_of_repeats(cells[i], "compute_time_device");
  };
  EXPECT_GT(metric(cells[0], "padding_share"), metric(cells[2], "padding_share"));
  EXPECT_GT(metric(cells[2], "padding_share"), metric(cells[3], "padding_share"));
  EXPECT_GT(compute(0), compute(2));
  EXPECT_GT(compute(2), compute(3));
  EXPECT_NEAR(compute(0), 0.001, 5e-5);
  EXPECT_NEAR(metric(cells[0], "padding_share"), 0.82, 0.05);  // 370 of 2048 tokens
  EXPECT_GT(metric(cells[0], "tokens_per_second"), 0.0);
}

TEST_F(BeyondImages, the_time_of_steps_over_different_sequences_is_unknown) {
  write_sweep("make: {preset: tokens-like, count: 8, format: npz}",
              "transforms: [tokens: 64], padding: [max_length, longest]", "batch_size: 8");
  const Finished done = feedrate("plan s.yaml --no-probe");
  EXPECT_THAT(done.out, AllOf(HasSubstr("≥ "), HasSubstr("unknown"),
                              HasSubstr("The time of 1 cell is known only after a run.")));
  EXPECT_THAT(feedrate("plan s.yaml --no-probe --axis padding=max_length").out,
              Not(HasSubstr("is known only after a run")));
}

TEST_F(BeyondImages, points_are_sampled_beforehand_once) {
  write_sweep("make: {preset: points-like, count: 8, format: tfrecord}, presampled: [false, true]",
              "transforms: [sample_points: 100]", "batch_size: 4, shuffle: true");
  const std::vector<CellResult> cells = sweep();
  ASSERT_EQ(cells.size(), 2U);
  for (const CellResult& cell : cells) EXPECT_EQ(cell.outcome, Outcome::kOk) << cell.reason;
  EXPECT_THAT(messages_, AllOf(HasSubstr("making ds: 8 records of 1.20 MB"),
                               HasSubstr("ds.feedrate/tfrecord-100-points/ds.tfrecord")));
  EXPECT_GT(metric(cells[0], "read_time"), metric(cells[1], "read_time"));
}

}  // namespace
}  // namespace feedrate::testing
