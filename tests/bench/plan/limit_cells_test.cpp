// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/limit_cells.h"

#include "bench/plan/reference_work.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

SweepConfig limits_config(const std::string& sections) {
  return parse_config("dataset: {path: x}\ndevice: {name: 'sim:h200'}\n" + sections, "s.yaml");
}

std::vector<Cell> plan_of(const std::string& sections) {
  return make_plan_with_limits(limits_config(sections), {});
}

std::string limit_text(const Cell& cell, const char* name) { return text_of(cell.settings, name); }

std::vector<Cell> limits_in(const std::vector<Cell>& plan) {
  std::vector<Cell> limits;
  for (const Cell& cell : plan) {
    if (cell.skip_reason.empty() && !limit_note(cell).empty()) limits.push_back(cell);
  }
  return limits;
}

std::vector<std::string> notes(const std::vector<Cell>& cells) {
  std::vector<std::string> texts;
  for (const Cell& cell : cells) texts.push_back(limit_note(cell));
  return texts;
}

TEST(LimitCells, follow_the_cells_that_they_limit) {
  const std::vector<Cell> plan = plan_of("loader: {num_workers: [0, 4, 2]}");
  ASSERT_EQ(plan.size(), 5U);
  EXPECT_THAT(notes(plan), ElementsAre("", "", "", "reference cell of the trainer",
                                       "reference cell of the loader"));
  for (std::size_t i = 0; i < plan.size(); ++i) EXPECT_EQ(plan[i].index, i);
  EXPECT_EQ(trainer_work(plan[3].settings), trainer_work(plan[0].settings));
  EXPECT_EQ(loading_work(plan[4].settings), loading_work(plan[0].settings));
}

TEST(LimitCells, load_with_the_most_workers_and_batches_in_flight) {
  const auto limits = limits_in(
      plan_of("loader: {num_workers: [0, 4, 2], prefetch_factor: [2, 8], pin_memory: [true, "
              "false]}"));
  ASSERT_EQ(limits.size(), 2U);
  EXPECT_EQ(limit_text(limits[1], "trainer"), "discard");
  EXPECT_EQ(limit_text(limits[1], "num_workers"), "4");
  EXPECT_EQ(limit_text(limits[1], "prefetch_factor"), "8");
  EXPECT_EQ(limit_text(limits[1], "pin_memory"), "false");
  EXPECT_EQ(limit_text(limits[1], "step_ms"), "");
}

TEST(LimitCells, train_with_the_best_copy) {
  const SweepConfig sweep = parse_config(
      "dataset: {path: x}\nloader: {pin_memory: [false, true]}\n"
      "device: {name: 'sim:h200', non_blocking: [false, true], device_prefetch: [0, 1]}\n",
      "s.yaml");
  const auto limits = limits_in(make_plan_with_limits(sweep, {}));
  ASSERT_EQ(limits.size(), 2U);
  EXPECT_EQ(limit_text(limits[0], "loader"), "cached");
  EXPECT_EQ(limit_text(limits[0], "pin_memory"), "true");
  EXPECT_EQ(limit_text(limits[0], "non_blocking"), "true");
  EXPECT_EQ(limit_text(limits[0], "device_prefetch"), "1");
  EXPECT_EQ(limit_text(limits[0], "num_workers"), "");
}

TEST(LimitCells, are_one_for_each_work) {
  const auto limits =
      limits_in(plan_of("loader: {batch_size: [8, 16], num_workers: [1, 2]}\n"
                        "trainer: {step_ms: [1, 2]}"));
  EXPECT_THAT(notes(limits),
              ElementsAre("reference cell of the trainer", "reference cell of the trainer",
                          "reference cell of the trainer", "reference cell of the trainer",
                          "reference cell of the loader", "reference cell of the loader"));
}

TEST(LimitCells, train_with_the_decoder_of_the_device_and_without) {
  const auto limits = limits_in(make_plan_with_limits(
      parse_config(
          "dataset: {path: x}\ndevice: {name: 'sim:a100-pcie4', transforms_on: gpu}\n"
          "pipeline: {transforms: [resize: [8, 8], to_tensor], decoder: [library, nvjpeg]}",
          "s.yaml"),
      {}));
  std::vector<std::string> decoders;
  for (const Cell& cell : limits)
    decoders.push_back(limit_note(cell) + " " + limit_text(cell, "decoder"));
  EXPECT_THAT(
      decoders,
      ElementsAre("reference cell of the trainer ", "reference cell of the trainer nvjpeg",
                  "reference cell of the loader library", "reference cell of the loader nvjpeg"));
}

TEST(LimitCells, are_not_added_where_the_plan_has_them) {
  const std::string sections =
      "loader: {kind: [dataloader, cached], num_workers: [0, 2]}\n"
      "trainer: {kind: [discard, burn]}";
  EXPECT_EQ(plan_of(sections).size(), make_plan(limits_config(sections), {}).size());
}

TEST(LimitCells, are_added_to_a_plan_with_a_resident_batch) {
  EXPECT_THAT(notes(limits_in(plan_of("loader: {kind: [dataloader, resident]}"))),
              ElementsAre("reference cell of the step", "reference cell of the trainer",
                          "reference cell of the loader"));
}

TEST(LimitCells, are_of_the_other_kind_only_where_the_plan_has_one) {
  EXPECT_THAT(notes(limits_in(plan_of("trainer: {kind: [discard, burn]}"))),
              ElementsAre("reference cell of the loader", "reference cell of the trainer"));
}

TEST(LimitCells, are_not_for_a_plan_of_mocks) {
  EXPECT_EQ(plan_of("trainer: {kind: discard}").size(), 1U);
  EXPECT_EQ(plan_of("loader: {kind: cached}").size(), 1U);
}

TEST(LimitCells, are_not_added_where_the_configuration_says_so) {
  EXPECT_THAT(limits_in(plan_of("measure: {limits: false}")), IsEmpty());
}

TEST(LimitCells, are_those_of_the_selected_cells) {
  const auto plan = make_plan_with_limits(limits_config("loader: {batch_size: [8, 16]}"),
                                          {{parse_axis("batch_size=16")}, 1});
  ASSERT_EQ(plan.size(), 3U);
  EXPECT_EQ(limit_text(plan[1], "batch_size"), "16");
  EXPECT_EQ(limit_text(plan[2], "batch_size"), "16");
}

TEST(LimitCells, are_of_both_kinds_with_a_dataset_in_python) {
  const SweepConfig sweep =
      parse_config("dataset: {torch: 'a:b'}\ndevice: {name: 'sim:h200'}\n", "s.yaml");
  EXPECT_THAT(notes(limits_in(make_plan_with_limits(sweep, {}))),
              ElementsAre("reference cell of the trainer", "reference cell of the loader"));
}

}  // namespace
}  // namespace feedrate
