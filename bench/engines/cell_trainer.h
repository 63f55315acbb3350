// The trainer that a cell asks for, on an open device. Free functions.
#pragma once
#include <memory>

#include "bench/plan/cell_spec.h"
#include "decode/transform.h"
#include "loaders/dataset.h"
#include "trainers/trainer.h"

namespace feedrate {

/// What the workers make where the cell asks for another type on the wire than the pipeline's.
[[nodiscard]] PipelineSpec wire_pipeline(PipelineSpec pipeline, const CellSpec& cell);

struct CellTrainer {
  std::unique_ptr<Trainer> trainer;
  double flops = 0;  ///< of a whole batch's step; 0 where nobody knows
};

/// Ready for batches of `dataset`, which is made by wire_pipeline(pipeline, cell). `device`
/// outlives the trainer.
[[nodiscard]] CellTrainer make_cell_trainer(const CellSpec& cell, const PipelineSpec& pipeline,
                                            const Dataset& dataset, Device& device);

}  // namespace feedrate
