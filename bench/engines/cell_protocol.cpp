#include "bench/engines/cell_protocol.h"

#include <numeric>

namespace feedrate {
namespace {

// For one sample; 0 where only the device knows.
double sample_seconds(const CellSpec& cell) {
  if (cell.burn)
    return to_seconds(cell.burn->step) / static_cast<double>(cell.burn->reference_batch);
  if (!cell.trace) return 0.0;
  const std::vector<Nanos>& steps = cell.trace->steps;
  const Nanos all = std::accumulate(steps.begin(), steps.end(), Nanos{});
  return to_seconds(all) / static_cast<double>(steps.size() * cell.trace->reference_batch);
}

double step_seconds(const CellSpec& cell) {
  return sample_seconds(cell) * static_cast<double>(cell.loader.batch_size) +
         to_seconds(cell.transfer.host_overhead);
}

// Of the bytes that the pipeline makes, which are float32 where another type is asked for.
std::size_t wire_bytes(const CellSpec& cell, std::size_t sample_bytes) {
  if (cell.normalize_on_gpu) return sample_bytes / 4;
  return cell.wire == SampleDtype::kFloat16 ? sample_bytes / 2 : sample_bytes;
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
          .batch_bytes = batches * cell.loader.batch_size * wire_bytes(cell, sample_bytes)};
}

}  // namespace feedrate
