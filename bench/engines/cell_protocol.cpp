#include "bench/engines/cell_protocol.h"

namespace feedrate {
namespace {

double step_seconds(const CellSpec& cell) {
  if (!cell.burn) return 0.0;
  const double share =
      static_cast<double>(cell.loader.batch_size) / static_cast<double>(cell.burn->reference_batch);
  return to_seconds(cell.burn->step) * share + to_seconds(cell.transfer.host_overhead);
}

}  // namespace

ProtocolOptions protocol_of(const CellSpec& cell, const MeasureConfig& measure) {
  return {.steps = measure.steps,
          .warmup = measure.warmup,
          .short_epochs = measure.epochs,
          .num_workers = cell.loader.num_workers,
          .max_outstanding = cell.loader.max_outstanding(),
          .sync_every = cell.transfer.sync_every};
}

CellEstimate estimate(const CellSpec& cell, const MeasureConfig& measure,
                      std::size_t sample_bytes) {
  const auto steps = static_cast<double>(protocol_of(cell, measure).total_steps());
  const std::size_t copying = cell.transfer.non_blocking ? kRunAhead : 0;
  const std::size_t batches = cell.loader.max_outstanding() + 1 + copying;
  return {.seconds_at_least = static_cast<double>(measure.repeats) * steps * step_seconds(cell),
          .batch_bytes = batches * cell.loader.batch_size * sample_bytes};
}

}  // namespace feedrate
