// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/cell_protocol.h"

#include <numeric>

#include "bench/plan/memory_model.h"
#include "bench/plan/named_device.h"
#include "core/clock.h"

namespace feedrate {
namespace {

double for_batch(Nanos reference, std::size_t references, const CellSpec& cell) {
  return to_seconds(reference) * static_cast<double>(cell.loader.batch_size) /
         static_cast<double>(references);
}

std::optional<double> gemm_seconds(const ModelStep& step, const CellSpec& cell) {
  const std::string name = resolve_named_device(cell.device);
  if (!name.starts_with("sim:")) return std::nullopt;
  ManualClock clock;
  const auto device = open_named_device(name, clock);
  const auto work = make_gemm_work(*device, step);
  const auto begin = device->create_event();
  const auto end = device->create_event();
  DeviceStream& stream = device->default_stream();
  stream.record(*begin);
  work->launch(stream, cell.loader.batch_size);
  stream.record(*end);
  end->synchronize();
  return to_seconds(device->elapsed(*begin, *end));
}

std::optional<double> kernel_seconds(const CellSpec& cell) {
  if (cell.gemms) return gemm_seconds(*cell.gemms, cell);
  if (cell.burn) return for_batch(cell.burn->step, cell.burn->reference_batch, cell);
  if (cell.has_own_step()) return std::nullopt;
  if (!cell.trace) return 0.0;
  const std::vector<Nanos>& steps = cell.trace->steps;
  return for_batch(std::accumulate(steps.begin(), steps.end(), Nanos{}),
                   steps.size() * cell.trace->reference_batch, cell);
}

std::optional<double> seconds_of(std::size_t steps, const CellSpec& cell) {
  const std::optional<double> kernels = kernel_seconds(cell);
  if (!kernels) return std::nullopt;
  return static_cast<double>(steps) * (*kernels + to_seconds(cell.transfer.host_overhead));
}

}  // namespace

ProtocolOptions protocol_of(const CellSpec& cell, const MeasureConfig& measure) {
  return {.steps = measure.steps,
          .warmup = measure.warmup,
          .short_epochs = measure.epochs,
          .num_workers = cell.loader.num_workers,
          .max_outstanding = cell.loader.max_outstanding(),
          .sync_every = cell.transfer.sync_every,
          .device_prefetch = cell.transfer.device_prefetch,
          .window_limit = measure.window_limit};
}

std::optional<double> least_seconds(const CellSpec& cell, const MeasureConfig& measure) {
  const bool varies = cell.padding == Padding::kLongest;
  return varies && cell.trains() ? std::nullopt : estimate(cell, measure, 0).seconds_at_least;
}

CellEstimate estimate(const CellSpec& cell, const MeasureConfig& measure,
                      std::size_t sample_bytes) {
  const std::size_t steps = measure.repeats.least * protocol_of(cell, measure).total_steps();
  const std::size_t copying = cell.transfer.non_blocking ? kRunAhead : 0;
  const std::size_t batches = cell.loader.max_outstanding() + 1 + copying;
  return {.seconds_at_least = seconds_of(steps, cell),
          .batch_bytes = batches * cell.loader.batch_size * wire_bytes(cell, sample_bytes)};
}

}  // namespace feedrate
