// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/cell_trainer.h"

#include <utility>

#include "loaders/decode/to_tensor.h"
#include "loaders/sampler.h"

namespace feedrate {
namespace {

void prepare(StepWork& work, const CellSpec& cell, const Dataset& dataset) {
  work.prepare(cell.loader.batch_size);
  const std::size_t rest = shard_size(dataset.size(), cell.loader.shard) % cell.loader.batch_size;
  if (rest > 0 && !cell.loader.drop_last && !cell.cached_loader) work.prepare(rest);
}

DeviceTrainerOptions transfer_of(const CellSpec& cell, const PipelineSpec& pipeline,
                                 const Dataset& dataset) {
  constexpr std::size_t kChannels = 3;
  DeviceTrainerOptions transfer = cell.transfer;
  transfer.batch_bytes = cell.loader.batch_size * dataset.sample_bytes();
  transfer.unit_bytes = work_units(pipeline).bytes;
  if (cell.on_device != OnDevice::kNothing) {
    const ImageShape shape = output_shape(pipeline, {1, 1, 3});  // Every image has this one.
    transfer.transform = {cell.on_device == OnDevice::kDecodingAndTransforms,
                          {shape.height, shape.width},
                          tensor_values(pipeline.normalize)};
  }
  if (cell.normalize_on_gpu) {
    transfer.normalize = {dataset.sample_bytes() / kChannels, tensor_values(pipeline.normalize)};
  }
  return transfer;
}

}  // namespace

WorkUnits work_units(const PipelineSpec& pipeline) noexcept {
  if (!pipeline.tokens) return {};
  return {pipeline.tokens->max_length, kTokenBytes};
}

PipelineSpec wire_pipeline(PipelineSpec pipeline, const CellSpec& cell) {
  if (pipeline.tokens && cell.padding) pipeline.tokens->padding = *cell.padding;
  if (cell.presampled) {
    pipeline.resize_bytes = *pipeline.sample_points * kPointBytes;  // The record has no other.
    pipeline.sample_points.reset();
  }
  pipeline.decoding = cell.decoding;
  pipeline.on_device = cell.on_device;
  if (cell.normalize_on_gpu || cell.on_device != OnDevice::kNothing) {
    pipeline.dtype = SampleDtype::kPixels;
    pipeline.normalize.reset();
  } else if (cell.wire == SampleDtype::kFloat16) {
    pipeline.dtype = SampleDtype::kFloat16;
  }
  return pipeline;
}

std::unique_ptr<StepWork> make_step_work(const CellSpec& cell, const PipelineSpec& pipeline,
                                         Device& device) {
  const std::size_t units = work_units(pipeline).per_sample;
  if (cell.burn) {
    return make_burn_work(cell.burn->step, cell.burn->reference_batch * units);
  }
  if (cell.trace) return make_trace_work(cell.trace->steps, cell.trace->reference_batch * units);
  return make_gemm_work(device, *cell.gemms);
}

std::unique_ptr<Trainer> make_cell_trainer(const CellSpec& cell, const PipelineSpec& pipeline,
                                           const Dataset& dataset, Device& device) {
  if (!cell.trains()) return make_discard_trainer(device.clock());
  std::unique_ptr<StepWork> work = make_step_work(cell, pipeline, device);
  if (cell.cuda_graph) work = make_graph_work(device, std::move(work));
  prepare(*work, cell, dataset);
  return make_device_trainer(device, transfer_of(cell, pipeline, dataset), std::move(work));
}

}  // namespace feedrate
