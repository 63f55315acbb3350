// SPDX-License-Identifier: Apache-2.0
// Makes the trainer that a cell asks for, on an open device.
#pragma once
#include <cstddef>
#include <memory>

#include "bench/plan/cell_spec.h"
#include "bench/trainers/trainer.h"
#include "loaders/dataset.h"
#include "loaders/decode/transform.h"

namespace feedrate {

/// The pipeline that the workers run: `pipeline` with the cell's type of samples, its padding, and
/// without the sampling of points if the dataset was sampled when it was made.
[[nodiscard]] PipelineSpec wire_pipeline(PipelineSpec pipeline, const CellSpec& cell);

/// The unit of a step's work: a token, padding included, if samples are sequences, else a sample.
/// With tokens, step_ms is the time of reference_batch sequences of the greatest length.
struct WorkUnits {
  std::size_t per_sample = 1;  ///< units in the largest sample
  std::size_t bytes = 0;       ///< size of a unit; 0: units are samples
};
[[nodiscard]] WorkUnits work_units(const PipelineSpec& pipeline) noexcept;

/// Makes the work of a step on `device`, which outlives it.
/// REQUIRES: cell.trains()
[[nodiscard]] std::unique_ptr<StepWork> make_step_work(const CellSpec& cell,
                                                       const PipelineSpec& pipeline,
                                                       Device& device);

/// Makes a trainer of batches of `dataset`, which is made with wire_pipeline(pipeline, cell).
/// `device` outlives the trainer.
[[nodiscard]] std::unique_ptr<Trainer> make_cell_trainer(const CellSpec& cell,
                                                         const PipelineSpec& pipeline,
                                                         const Dataset& dataset, Device& device);

}  // namespace feedrate
