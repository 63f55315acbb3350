// SPDX-License-Identifier: Apache-2.0
#include "bench/calibration/sample_sweep.h"

#include <gtest/gtest.h>

#include "bench/plan/cell_spec.h"
#include "bench/plan/plan.h"

namespace feedrate {
namespace {

// The first value of each axis is one that an engine lacks, or that hides the loader.
TEST(SampleSweep, has_six_cells_that_both_engines_can_run) {
  const SweepConfig config = sample_sweep(
      parse_config("dataset: {path: x}\n"
                   "engine: [torch]\n"
                   "emulate: p.yaml\n"
                   "loader: {num_workers: [4, 8], transport: [file_system, fresh],\n"
                   "         multiprocessing_context: [spawn, fork], pin_memory: [true, false],\n"
                   "         persistent_workers: [true], kind: "
                   "[cached],\n"
                   "         in_order: [false], batch_size: [16, 32], max_workers_per_cpu: 0.01}\n"
                   "trainer: {kind: [burn]}\n",
                   "s.yaml"));
  const std::vector<Cell> plan = make_plan(config, {{}, 1});
  ASSERT_EQ(plan.size(), 6U);
  for (const Cell& cell : plan) {
    EXPECT_EQ(cell.skip_reason, "");
    const CellSpec spec = make_cell_spec(cell.settings, 0);
    EXPECT_EQ(spec.loader.batch_size, 16U);
    EXPECT_EQ(spec.loader.transport, Transport::kFresh);
    EXPECT_EQ(spec.loader.memory, HostMemory::kPageable);
    EXPECT_FALSE(spec.loader.persistent_workers);
    EXPECT_EQ(spec.emulate, "");
    EXPECT_FALSE(spec.burn);
  }
}

// The configuration of a tune has no short epochs.
TEST(SampleSweep, measures_the_begin_and_end_of_epochs) {
  SweepConfig config = parse_config("dataset: {path: x}\n", "s.yaml");
  config.measure.epochs = 0;
  EXPECT_GE(sample_sweep(config).measure.epochs, 1U);
}

}  // namespace
}  // namespace feedrate
