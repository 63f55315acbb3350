// SPDX-License-Identifier: Apache-2.0
#include "bench/tune_cells.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/plan/present.h"
#include "tests/support/error_of.h"

namespace feedrate {
namespace {

using ::testing::HasSubstr;

SweepConfig config_of(const char* loader, const char* trainer = "kind: burn") {
  return parse_config(std::string("dataset: {path: x}\ndevice: {name: 'sim:h200'}\nloader: {") +
                          loader + "}\ntrainer: {" + trainer + "}\n",
                      "t.yaml");
}

TuneLimits limits_with(const std::string& present = "") {
  TuneLimits limits;
  limits.present = parse_present(present);
  limits.usable_cpus = 4;
  return limits;
}

TuneCells cells_of(const SweepConfig& config, const TuneLimits& limits,
                   const MemoryGuard& guard = MemoryGuard(0, 0, {})) {
  return make_tune_cells(config, with_present(config, make_plan(config, {}), limits), limits,
                         guard);
}

std::string tune_text(const Settings& settings, const char* name) {
  return to_string(*find_setting(settings, name));
}

TEST(ParsePresent, takes_one_value_a_knob) {
  EXPECT_TRUE(parse_present("").empty());
  EXPECT_EQ(parse_present("num_workers=3,pin_memory=true").size(), 2U);
  for (const char* wrong : {"num_workers=3,4", "pin_memory=maybe"}) {
    EXPECT_THROW(static_cast<void>(parse_present(wrong)), ConfigError) << wrong;
  }
}

TEST(present, is_what_pytorch_does_by_default) {
  const SweepConfig config = config_of("num_workers: 4, pin_memory: true, batch_size: 8");
  const Settings present = present_settings(make_plan(config, {}).front().settings, {});
  EXPECT_EQ(tune_text(present, "num_workers"), "0");
  EXPECT_EQ(tune_text(present, "pin_memory"), "false");
  EXPECT_EQ(tune_text(present, "prefetch_factor"), "");
  EXPECT_EQ(tune_text(present, "batch_size"), "8");
}

TEST(present, takes_what_is_named) {
  const SweepConfig config = config_of("num_workers: 0");
  const Settings present = present_settings(make_plan(config, {}).front().settings,
                                            parse_present("num_workers=3,pin_memory=true"));
  EXPECT_EQ(tune_text(present, "num_workers"), "3");
  EXPECT_EQ(tune_text(present, "prefetch_factor"), "2");
  EXPECT_EQ(tune_text(present, "transport"), "fresh");
  EXPECT_EQ(tune_text(present, "pin_memory"), "true");
}

TEST(tune_cells, present_settings_outside_the_plan_are_one_more_candidate) {
  const TuneCells inside = cells_of(config_of("num_workers: [0, 2]"), limits_with());
  EXPECT_EQ(inside.candidates.size(), 2);
  EXPECT_EQ(inside.present, 0);
  EXPECT_TRUE(inside.finalists.empty());
  const TuneCells outside = cells_of(config_of("num_workers: [1, 2]"), limits_with());
  EXPECT_EQ(outside.candidates.size(), 3);
  EXPECT_EQ(outside.present, 2);
}

TEST(tune_cells, indices_are_positions_in_the_list) {
  const TuneCells tune = cells_of(config_of("num_workers: [0, 1, 2]"), limits_with());
  for (std::size_t i = 0; i < tune.cells.size(); ++i) EXPECT_EQ(tune.cells[i].index, i);
}

TEST(tune_cells, probes_have_no_meaningless_settings_and_are_cells_that_run) {
  const TuneCells tune = cells_of(config_of("num_workers: [0, 1, 2]"), limits_with());
  EXPECT_EQ(tune.probes.size(), 1 + 3 + 1);
  for (const Settings& probe : tune.probes) {
    const auto cell = std::find_if(tune.cells.begin(), tune.cells.end(),
                                   [&](const Cell& one) { return one.settings == probe; });
    ASSERT_NE(cell, tune.cells.end());
    EXPECT_EQ(cell->skip_reason, "");
  }
  EXPECT_EQ(tune_text(tune.probes.front(), "loader"), "cached");
  EXPECT_EQ(tune_text(tune.probes.front(), "num_workers"), "");
}

TEST(tune_cells, a_dataset_in_python_is_probed_with_a_mock_loader_too) {
  const SweepConfig config = parse_config(
      "dataset: {torch: 'a:b'}\ndevice: {name: 'sim:h200'}\nloader: {num_workers: [0, 1]}\n",
      "s.yaml");
  EXPECT_EQ(tune_text(cells_of(config, limits_with()).probes.front(), "loader"), "cached");
}

TEST(tune_cells, limits_of_the_plan_are_left_to_the_probes) {
  const TuneCells tune =
      cells_of(config_of("num_workers: [0, 2]", "kind: [burn, discard]"), limits_with());
  EXPECT_EQ(tune.candidates.size(), 2);
}

TEST(tune_cells, a_plan_without_one_answer_is_refused_with_the_cure) {
  SweepConfig engines = config_of("num_workers: [0, 2]");
  override_axis(engines, parse_axis("engine=native,torch"));
  for (const auto& [config, cure] : std::vector<std::pair<SweepConfig, const char*>>{
           {config_of("num_workers: [0, 2]", "kind: discard"), "trainer.kind"},
           {config_of("num_workers: [0, 2]", "step_ms: [1, 5]"), "step_ms (1, 5)"},
           {config_of("num_workers: [0, 2], shuffle: [false, true]"), "--only shuffle=false"},
           {engines, "engine (native, torch)"}}) {
    EXPECT_THAT(testing::error_of([&config = config] {
                  return with_present(config, make_plan(config, {}), limits_with());
                }),
                HasSubstr(cure));
  }
}

TEST(tune_cells, what_needs_too_much_memory_is_skipped_with_the_figures) {
  const SweepConfig config = config_of("num_workers: [0, 1, 4], batch_size: 64");
  const MemoryGuard guard(0, 1'000'000, {});
  TuneLimits limits = limits_with();
  limits.max_host_mem =
      static_cast<double>(guard.need(make_cell_spec(make_plan(config, {})[1].settings, 0))->host);
  const TuneCells tune = cells_of(config, limits, guard);
  EXPECT_EQ(tune.candidates.size(), 2);
  EXPECT_THAT(tune.cells[2].skip_reason, HasSubstr("of host memory, more than --max-host-mem"));
}

TEST(tune_cells, what_the_machine_cannot_hold_is_skipped) {
  const SweepConfig config = config_of("num_workers: [0, 4], batch_size: 64");
  AvailableMemory available;
  available.shm = 100'000'000;
  const TuneCells tune = cells_of(config, limits_with(), MemoryGuard(0, 1'000'000, available));
  EXPECT_EQ(tune.candidates.size(), 1);
}

TuneLimits limits_in_pytorch() {
  TuneLimits limits = limits_with();
  limits.verifies = true;
  return limits;
}

TEST(tune_cells, each_candidate_has_one_of_pytorch_that_verifies_it) {
  const TuneCells tune = cells_of(config_of("num_workers: [0, 1, 2]"), limits_in_pytorch());
  ASSERT_EQ(tune.candidates.size(), 3);
  ASSERT_EQ(tune.finalists.size(), 3);
  for (std::size_t i = 0; i < tune.finalists.size(); ++i) {
    EXPECT_EQ(tune_text(tune.candidates[i].settings, "engine"), "native");
    EXPECT_EQ(tune_text(tune.finalists[i].settings, "engine"), "torch");
    EXPECT_EQ(tune_text(tune.finalists[i].settings, "num_workers"),
              tune_text(tune.candidates[i].settings, "num_workers"));
    EXPECT_EQ(tune.cells[tune.finalists[i].cell].settings, tune.finalists[i].settings);
  }
  EXPECT_EQ(tune.present, 0);
}

TEST(tune_cells, what_pytorch_cannot_do_is_not_recommended) {
  SweepConfig config = config_of("num_workers: [0, 1, 2]");
  override_axis(config, parse_axis("wire_dtype=float32,float16"));
  const TuneCells tune = cells_of(config, limits_in_pytorch());
  for (const Candidate& candidate : tune.candidates) {
    EXPECT_NE(tune_text(candidate.settings, "wire_dtype"), "float16");
  }
  EXPECT_EQ(tune.finalists.size(), tune.candidates.size());
  EXPECT_GT(cells_of(config, limits_with()).candidates.size(), tune.candidates.size());
}

TEST(fit_to_tune, limits_the_steps_of_a_start_but_for_groups_by_length) {
  SweepConfig config = config_of("num_workers: 0");
  config.measure.steps = 500;
  fit_to_tune(config, 100.0, false);
  EXPECT_EQ(config.measure.steps, 60U);
  EXPECT_EQ(config.measure.window_limit, from_seconds(4.0));
  EXPECT_EQ(config.measure.epochs, 0U);
  SweepConfig grouped = config_of("num_workers: 0, group_by_length: true");
  SweepConfig asked = config_of("num_workers: 0");
  for (SweepConfig* const one : {&grouped, &asked}) {
    one->measure.steps = 500;
    fit_to_tune(*one, 100.0, one == &asked);
    EXPECT_EQ(one->measure.steps, 500U);
  }
}

// PyTorch's decoder is Pillow, regardless of the knob.
TEST(tune_cells, what_is_the_same_with_pytorch_is_explored_once) {
  SweepConfig config = config_of("num_workers: [0, 1]");
  override_axis(config, parse_axis("decoder=fast,library"));
  const TuneCells tune = cells_of(config, limits_in_pytorch());
  EXPECT_EQ(tune.finalists.size(), 2);
  EXPECT_EQ(tune.candidates.size(), 2);
}

}  // namespace
}  // namespace feedrate
