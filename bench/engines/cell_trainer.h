// SPDX-License-Identifier: Apache-2.0
// The trainer that a cell asks for, on an open device. Free functions.
#pragma once
#include <cstddef>
#include <memory>

#include "bench/plan/cell_spec.h"
#include "bench/trainers/trainer.h"
#include "loaders/dataset.h"
#include "loaders/decode/transform.h"

namespace feedrate {

/// What the workers make of a cell's records, which may ask for another type on the wire than the
/// pipeline, for its own padding, and for points that were sampled beforehand.
[[nodiscard]] PipelineSpec wire_pipeline(PipelineSpec pipeline, const CellSpec& cell);

/// What a step's work is counted in: the tokens of a batch of sequences, padding included, or else
/// its samples. step_ms is then for reference_batch sequences of the greatest length.
struct WorkUnits {
  std::size_t per_sample = 1;  ///< of the largest sample
  std::size_t bytes = 0;       ///< of a unit; 0: units are samples
};
[[nodiscard]] WorkUnits work_units(const PipelineSpec& pipeline) noexcept;

/// A step on `device`, which outlives it.
/// REQUIRES: cell.trains()
[[nodiscard]] std::unique_ptr<StepWork> make_step_work(const CellSpec& cell,
                                                       const PipelineSpec& pipeline,
                                                       Device& device);

/// Ready for batches of `dataset`, which is made by wire_pipeline(pipeline, cell). `device`
/// outlives the trainer.
[[nodiscard]] std::unique_ptr<Trainer> make_cell_trainer(const CellSpec& cell,
                                                         const PipelineSpec& pipeline,
                                                         const Dataset& dataset, Device& device);

}  // namespace feedrate
