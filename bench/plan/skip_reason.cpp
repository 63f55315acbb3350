// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/plan/cell_spec.h"
#include "bench/plan/knobs.h"
#include "bench/plan/named_device.h"
#include "bench/plan/plan.h"
#include "bench/trainers/step_gemms.h"
#include "formats/remote/remote_path.h"
#include "loaders/decode/image_plan.h"

namespace feedrate {
namespace {

bool discards(const CellSpec& cell) { return cell.step.trainer == "discard"; }

std::string skip_by_torch(const CellSpec& cell, const CellSettings& settings) {
  const auto only_native = [](std::string_view what) {
    return fmt::format("{}: only the native engine supports it", what);
  };
  const std::string& trainer = cell.step.trainer;
  if (trainer == "gemm" || trainer == "cnn") {
    return only_native("trainer " + trainer);
  }
  for (const Knob& knob : knobs()) {
    if (!knob.only_native) continue;
    const std::string chosen = settings.text(knob.id);
    if (!chosen.empty() && chosen != knob.fallback) {
      return only_native(fmt::format("{} {}", knob.name, chosen));
    }
  }
  if (cell.transfer.resident) return only_native("loader resident");
  if (cell.wire == SampleDtype::kFloat16) return only_native("wire_dtype float16");
  if (cell.decodes_on_gpu) return only_native("decoder nvjpeg");
  if (cell.transforms_on_gpu) return only_native("transforms_on gpu");
  return {};
}

std::string skip_by_native(const CellSettings& settings) {
  for (const Knob& knob : knobs()) {
    if (!knob.only_torch) continue;
    const std::string chosen = settings.text(knob.id);
    if (chosen.empty() || chosen == knob.fallback) continue;
    return fmt::format("{} {}: only the PyTorch engine supports it", knob.name, chosen);
  }
  return {};
}

std::string skip_by_trainer(const CellSpec& cell) {
  const StepKnobs& step = cell.step;
  if (step.trainer == "gemm" && step.shapes.empty()) {
    return "trainer gemm: needs trainer.shapes, such as [4096x4096x4096*8]";
  }
  if (step.trainer == "cnn" && step.model.empty()) {
    return fmt::format("trainer cnn: needs trainer.model, one of {}",
                       fmt::join(model_names(), ", "));
  }
  if (step.trainer == "torch" && step.factory.empty()) {
    return "trainer torch: needs trainer.torch, such as my_project.train:make_step";
  }
  if (step.trainer == "trace" && step.steps.empty()) {
    return "trainer trace: needs trainer.steps_ms, such as [25.1, 24.9]";
  }
  const bool multiplies = step.trainer == "gemm" || step.trainer == "cnn";
  if (!multiplies || !step.precision) return {};
  return why_no_precision_on(cell.device, *step.precision);
}

// A simulated device computes nothing, and a CPU has no copies and no kernels of step_ms.
std::string skip_by_device(const CellSpec& cell) {
  if (cell.has_own_step() && cell.device.starts_with("sim:")) {
    return fmt::format("device {}: a model of a GPU cannot run your step; use cpu or cuda",
                       cell.device);
  }
  if (cell.has_own_step() && cell.normalize_on_gpu) {
    return "normalize_on gpu: a step of your own normalizes by itself";
  }
  if (cell.device != kCpuDevice || cell.has_own_step() || discards(cell)) return {};
  return fmt::format(
      "device cpu: needs a step of your own, trainer.torch; trainer {} needs a GPU "
      "or a model of one",
      cell.step.trainer);
}

std::string skip_by_sequences(const CellSpec& cell, const SweepConfig& config) {
  const bool grouped = cell.asked.group_by_length;
  if (!config.pipeline.tokens) {
    const char* const knob = grouped ? "group_by_length" : "padding";
    if (!grouped && !cell.padding) return {};
    if (config.dataset.is_own())
      return fmt::format("{}: not supported for datasets of dataset.torch", knob);
    return fmt::format("{}: applies to sequences; needs pipeline.transforms: [tokens: N]", knob);
  }
  if (cell.step.trainer == "gemm" || cell.step.trainer == "cnn") {
    return fmt::format("trainer {}: not supported for token sequences", cell.step.trainer);
  }
  if (cell.cuda_graph) return "cuda_graph: not supported for token sequences";
  if (grouped && cell.cache == CacheState::kCold) {
    return "group_by_length: not supported with cache cold, since all lengths are read first";
  }
  if (cell.cached_loader && cell.padding != Padding::kMaxLength) {
    return fmt::format(
        "loader {}: not supported for token sequences; one batch cannot represent all lengths",
        cell.transfer.resident ? "resident" : "cached");
  }
  return {};
}

std::string skip_by_points(const CellSpec& cell, const PipelineSpec& pipeline) {
  if (!cell.presampled || pipeline.sample_points) return {};
  return "presampled: applies to point clouds; needs pipeline.transforms: [sample_points: N]";
}

const char* end_of(const PipelineSpec& pipeline) {
  if (pipeline.resize_bytes) return "is resize_bytes";
  if (pipeline.tokens) return "is tokens";
  return pipeline.sample_points ? "is sample_points" : "ends in pil_to_tensor";
}

std::string skip_by_own_wire(const CellSpec& cell) {
  if (!cell.normalize_on_gpu && !cell.transforms_on_gpu && !cell.wire) return {};
  return "wire_dtype, normalize_on and transforms_on: samples of dataset.torch are copied "
         "unchanged";
}

std::string skip_on_device(const CellSpec& cell, const PipelineSpec& pipeline) {
  if (!cell.transforms_on_gpu) {
    return cell.decodes_on_gpu ? "decoder nvjpeg: decodes on the device; needs transforms_on gpu"
                               : "";
  }
  if (pipeline.dtype != SampleDtype::kFloat32) {
    return fmt::format("transforms_on gpu: the pipeline {}; must end in to_tensor",
                       end_of(pipeline));
  }
  if (cell.normalize_on_gpu || cell.wire) {
    return "transforms_on gpu: cannot be combined with normalize_on or wire_dtype; images are "
           "normalized on the GPU";
  }
  if (const std::string reason = why_no_plan(pipeline); !reason.empty()) {
    return "transforms_on gpu: " + reason;
  }
  if (cell.cache == CacheState::kCold) {
    return "transforms_on gpu: not supported with cache cold, since images are read to size a "
           "batch";
  }
  if (!cell.decodes_on_gpu || discards(cell)) return {};
  return why_no_jpeg_decoder_on(cell.device);
}

// Bytes can be normalized only if they arrive as bytes, and floats only where they are made.
std::string skip_by_wire(const CellSpec& cell, const PipelineSpec& pipeline) {
  const bool makes_bytes = pipeline.dtype == SampleDtype::kUint8;
  const bool crosses_as_bytes = cell.wire == SampleDtype::kUint8;
  const char* const end = end_of(pipeline);
  if (makes_bytes && cell.normalize_on_gpu) {
    return fmt::format("normalize_on gpu: the pipeline {}, so there is nothing to normalize", end);
  }
  if (makes_bytes && cell.wire && !crosses_as_bytes) {
    return fmt::format("wire_dtype {}: the pipeline {}, whose samples are copied unchanged",
                       cell.wire == SampleDtype::kFloat16 ? "float16" : "float32", end);
  }
  if (cell.normalize_on_gpu && !crosses_as_bytes) {
    return "normalize_on gpu: needs bytes, wire_dtype uint8";
  }
  if (!makes_bytes && crosses_as_bytes && !cell.normalize_on_gpu) {
    return "wire_dtype uint8: normalized samples are not bytes; needs normalize_on gpu";
  }
  return {};
}

// A launcher's ranks are fixed; ranks that feedrate starts are on this node only.
std::string skip_by_ranks(const CellSpec& cell, const LaunchedRanks& launched) {
  const auto& [ranks, per_node, affinity, all_reduce_bytes] = cell.job;
  if (launched.is_launched() && ranks != launched.size) {
    return fmt::format("ranks {}: {} were started; start as many ranks as the cell needs", ranks,
                       launched.size);
  }
  if (ranks == 1) return {};
  if (cell.engine == EngineKind::kTorch) {
    return fmt::format(
        "ranks {}: only supported by the native engine; PyTorch's DataLoader is measured in one "
        "process",
        ranks);
  }
  const std::size_t here = launched.is_launched() ? launched.per_node : ranks;
  if (per_node < ranks && cell.staging != StagingMode::kNone) {
    return fmt::format(
        "staging {}: only the first node would get the copy; copy the dataset on every node before "
        "the ranks start",
        to_string(cell.staging));
  }
  if (per_node == here) return {};
  return launched.is_launched()
             ? fmt::format("ranks_per_node {}: {} were started on this node", per_node, here)
             : fmt::format(
                   "ranks_per_node {}: feedrate starts all {} ranks on this node; use srun or "
                   "mpirun for several nodes",
                   per_node, ranks);
}

// feedrate does not know which files Python reads, and its own loaders cannot make these samples.
std::string skip_by_own_dataset(const CellSpec& cell, bool torch) {
  if (!torch) return "dataset.torch: only supported by the PyTorch engine";
  const bool computes = !discards(cell) && !cell.has_own_step();
  if (cell.has_own_batches && computes && cell.step.reference_batch == 0) {
    return "batch_size null: needs trainer.reference_batch, the samples that a step is for";
  }
  if (cell.cache != CacheState::kAsIs) {
    return fmt::format("cache {}: not supported for dataset.torch, whose files are unknown",
                       cell.cache == CacheState::kWarm ? "warm" : "cold");
  }
  if (cell.staging != StagingMode::kNone) {
    return fmt::format("staging {}: not supported for dataset.torch, whose files are unknown",
                       to_string(cell.staging));
  }
  return {};
}

// The native engine requests the bytes over the network every time.
std::string skip_on_server(const CellSpec& cell, bool torch) {
  if (torch) {
    return "dataset.path: a server is only supported by the native engine; PyTorch's DataLoader "
           "needs a dataset.torch that reads it";
  }
  if (cell.cache != CacheState::kAsIs) {
    return fmt::format("cache {}: not supported for a server, which has its own cache",
                       cell.cache == CacheState::kWarm ? "warm" : "cold");
  }
  if (cell.staging != StagingMode::kNone) {
    return fmt::format("staging {}: not supported for a server; copy the dataset first",
                       to_string(cell.staging));
  }
  if (!cell.format.empty() || cell.chunk > 0 || !cell.codec.empty() || cell.presampled) {
    return "format: conversion is not supported on a server; convert the dataset first with "
           "`feedrate "
           "data convert`";
  }
  return {};
}

std::string skip_by_workers(const CellSpec& cell, const SweepConfig& config, bool torch) {
  const LoaderOptions& loader = cell.asked;
  if (torch && is_opaque(config.pipeline) && config.dataset.skip_damaged) {
    return "dataset.skip_damaged: for opaque records only supported by the native engine";
  }
  const auto& start_method = loader.multiprocessing_context;
  if (!torch && (start_method == "spawn" || start_method == "forkserver")) {
    return "multiprocessing_context: not supported by the native engine, which forks its workers";
  }
  return {};
}

std::string skip_by_cpus(const CellSpec& cell, const SweepConfig& config,
                         const PlanOptions& options) {
  if (!config.max_workers_per_cpu) return {};
  const std::size_t cpus =
      options.launched.is_launched() ? options.launched.cpus : options.usable_cpus;
  const double most = *config.max_workers_per_cpu * static_cast<double>(cpus);
  const std::size_t ranks = cell.job.ranks_per_node;
  const double workers = static_cast<double>(cell.asked.num_workers) * static_cast<double>(ranks);
  if (workers <= most) return {};
  return fmt::format("more than max_workers_per_cpu {} on {} usable CPU{}{}",
                     *config.max_workers_per_cpu, cpus, cpus == 1 ? "" : "s",
                     ranks == 1 ? "" : fmt::format(" of {} ranks", ranks));
}

}  // namespace

std::string skip_reason(const CellSettings& settings, const SweepConfig& config,
                        const PlanOptions& options) {
  const CellSpec cell = read_settings(settings);
  if (cell.cached_loader && discards(cell)) {
    return "nothing to measure: both the loader and the trainer are mocks";
  }
  const bool own = config.dataset.is_own();
  // the mock loader has no engine; with a Python dataset it needs that dataset's first batch
  const bool torch = cell.engine == EngineKind::kTorch || (own && cell.cached_loader);
  for (const std::string& reason :
       {torch ? skip_by_torch(cell, settings) : skip_by_native(settings), skip_by_device(cell),
        skip_by_trainer(cell), skip_by_sequences(cell, config),
        skip_by_points(cell, config.pipeline), skip_by_ranks(cell, options.launched),
        own ? skip_by_own_wire(cell) : skip_by_wire(cell, config.pipeline),
        own ? std::string() : skip_on_device(cell, config.pipeline)}) {
    if (!reason.empty()) return reason;
  }
  if (own) {
    if (std::string reason = skip_by_own_dataset(cell, torch); !reason.empty()) return reason;
  } else if (cell.has_own_batches) {
    return "batch_size null: only supported for a dataset of your own, dataset.torch";
  }
  if (!own && is_remote(config.dataset.path.native())) {
    if (std::string reason = skip_on_server(cell, torch); !reason.empty()) return reason;
  } else if (!settings.text(KnobId::requests_in_flight).empty()) {
    return "requests_in_flight: only supported for a dataset on a server";
  }
  if (std::string reason = skip_by_workers(cell, config, torch); !reason.empty()) return reason;
  return skip_by_cpus(cell, config, options);
}

}  // namespace feedrate
