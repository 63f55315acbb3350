// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/cell_spec.h"

#include "bench/plan/knobs.h"

namespace feedrate {
namespace {

void leave_workers_out(LoaderOptions& options) {
  if (options.num_workers > 0) return;
  options.prefetch_factor.reset();
  options.timeout = 0.0;
  options.multiprocessing_context.reset();
  options.transport = Transport::kFresh;
}

void choose_read_order(CellSpec& cell) {
  const bool mixed = cell.asked.shuffle || cell.asked.group_by_length;
  cell.reads.order = mixed ? ReadOrder::kRandom : ReadOrder::kSequential;
}

void place_ranks(JobSpec& job) {
  if (job.ranks == 1) job = {};
  if (job.ranks_per_node == 0) job.ranks_per_node = job.ranks;
}

void move_work_to_device(CellSpec& cell) {
  if (!cell.transforms_on_gpu) return;
  cell.on_device = cell.decodes_on_gpu ? OnDevice::kDecodingAndTransforms : OnDevice::kTransforms;
}

void resolve_loader(CellSpec& cell, std::uint64_t seed) {
  cell.asked.seed = seed;
  cell.loader = resolve(cell.asked, cell.loader);
  // DistributedSampler's own drop_last: a loader that drops batches drops the uneven rest, too.
  cell.loader.shard = {.replicas = cell.job.ranks, .drop_last = cell.loader.drop_last};
}

void add_trainer(CellSpec& cell) {
  const StepKnobs& step = cell.step;
  const Precision precision = step.precision.value_or(Precision::kFp32);
  if (step.trainer == "burn") {
    cell.burn = {step.step, step.reference_batch};
  } else if (step.trainer == "gemm") {
    cell.gemms = {step.shapes, step.reference_batch, precision, {}};
  } else if (step.trainer == "cnn") {
    cell.gemms = {model_gemms(step.model), 1, precision, model_passes(step.model, precision)};
  } else if (step.trainer == "trace") {
    cell.trace = {step.steps, step.reference_batch};
  }
  if (!cell.trains()) cell.transfer = {};
}

}  // namespace

CellSpec read_settings(const CellSettings& settings) {
  CellSpec cell;
  for (const Knob& knob : knobs()) {
    const SettingValue* const value = settings.find(knob.id);
    if (value == nullptr || *value == SettingValue(std::string())) continue;
    if (knob.set != nullptr) knob.set(cell, *value);
  }
  leave_workers_out(cell.asked);
  choose_read_order(cell);
  place_ranks(cell.job);
  move_work_to_device(cell);
  return cell;
}

DatasetCopy copy_of(const CellSpec& cell) {
  return {.format = cell.format,
          .chunk = cell.chunk,
          .codec = cell.codec,
          .presampled = cell.presampled,
          .staging = cell.staging};
}

CellSpec make_cell_spec(const CellSettings& settings, std::uint64_t seed) {
  CellSpec cell = read_settings(settings);
  cell.settings = settings;
  resolve_loader(cell, seed);
  add_trainer(cell);
  return cell;
}

}  // namespace feedrate
