#include "plan/skip_reason.h"

#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "decode/image_plan.h"
#include "plan/knobs.h"
#include "plan/named_device.h"
#include "plan/reference_work.h"
#include "trainers/step_gemms.h"

namespace feedrate {
namespace {

// What the PyTorch engine does not do: the child has a loop of its own.
std::string why_not_torch(const Settings& settings) {
  const auto text = [&](const char* name) { return text_of(settings, name); };
  const auto only_native = [](std::string_view what) {
    return fmt::format("{}: only the native engine has it", what);
  };
  for (const char* trainer : {"gemm", "cnn", "trace"}) {
    if (text("trainer") == trainer) return only_native(fmt::format("trainer {}", trainer));
  }
  for (const Knob& knob : knobs()) {
    if (!knob.only_native) continue;
    const std::string chosen = text_of(settings, std::string(knob.name));
    if (!chosen.empty() && chosen != knob.fallback) {
      return only_native(fmt::format("{} {}", knob.name, chosen));
    }
  }
  if (text("loader") == "resident") return only_native("loader resident");
  if (text("wire_dtype") == "float16") return only_native("wire_dtype float16");
  if (text("decoder") == "nvjpeg") return only_native("decoder nvjpeg");
  if (text("transforms_on") == "gpu") return only_native("transforms_on gpu");
  return {};
}

std::string why_not_trainer(const Settings& settings) {
  const auto text = [&](const char* name) { return text_of(settings, name); };
  const std::string trainer = text("trainer");
  if (trainer == "gemm" && text("shapes").empty()) {
    return "trainer gemm: needs trainer.shapes, as [4096x4096x4096*8]";
  }
  if (trainer == "cnn" && text("model").empty()) {
    return fmt::format("trainer cnn: needs trainer.model, one of {}",
                       fmt::join(model_names(), ", "));
  }
  if (trainer == "trace" && text("steps_ms").empty()) {
    return "trainer trace: needs trainer.steps_ms, as [25.1, 24.9]";
  }
  if (text("precision").empty() || (trainer != "gemm" && trainer != "cnn")) return {};
  return why_no_precision_on(text("device"), precision_from_string(text("precision")));
}

// A step over sequences is for their tokens, and their batches differ in size: not all that follows
// can take that.
std::string why_not_sequences(const Settings& settings, const SweepConfig& config) {
  const auto text = [&](const char* name) { return text_of(settings, name); };
  const bool grouped = text("group_by_length") == "true";
  if (!config.pipeline.tokens) {
    const char* const knob = grouped ? "group_by_length" : "padding";
    if (!grouped && text(knob).empty()) return {};
    if (config.dataset.own) return fmt::format("{}: only feedrate's own datasets have it", knob);
    return fmt::format("{}: is for sequences; needs pipeline.transforms: [tokens: N]", knob);
  }
  for (const char* trainer : {"gemm", "cnn"}) {
    if (text("trainer") != trainer) continue;
    return fmt::format("trainer {}: its products are for samples, not for tokens", trainer);
  }
  if (text("cuda_graph") == "true") return "cuda_graph: its graphs are for samples, not for tokens";
  if (grouped && text("cache") == "cold") {
    return "group_by_length: reading all lengths first leaves nothing cold";
  }
  if (has_mock_loader(settings) && text("padding") != "max_length") {
    return "loader " + text("loader") + ": no one batch stands for sequences of all lengths";
  }
  return {};
}

std::string why_not_points(const Settings& settings, const PipelineSpec& pipeline) {
  if (text_of(settings, "presampled") != "true" || pipeline.sample_points) return {};
  return "presampled: is for clouds; needs pipeline.transforms: [sample_points: N]";
}

// Of a pipeline whose samples cross as the bytes that were stored or decoded.
const char* end_of(const PipelineSpec& pipeline) {
  if (pipeline.resize_bytes) return "is resize_bytes";
  if (pipeline.tokens) return "is tokens";
  return pipeline.sample_points ? "is sample_points" : "ends in pil_to_tensor";
}

std::string why_not_own_wire(const Settings& settings) {
  if (text_of(settings, "normalize_on") != "gpu" && text_of(settings, "transforms_on") != "gpu" &&
      text_of(settings, "wire_dtype").empty()) {
    return {};
  }
  return "wire_dtype, normalize_on and transforms_on: the samples of an own dataset cross as they "
         "are";
}

// Images that are decoded or transformed behind the copy.
std::string why_not_on_device(const Settings& settings, const PipelineSpec& pipeline) {
  const bool decodes = text_of(settings, "decoder") == "nvjpeg";
  if (text_of(settings, "transforms_on") != "gpu") {
    return decodes ? "decoder nvjpeg: what it decodes is on the device; needs transforms_on gpu"
                   : "";
  }
  if (pipeline.dtype != SampleDtype::kFloat32) {
    return fmt::format("transforms_on gpu: the pipeline {}; it must end in to_tensor",
                       end_of(pipeline));
  }
  if (text_of(settings, "normalize_on") == "gpu" || !text_of(settings, "wire_dtype").empty()) {
    return "transforms_on gpu: images cross as they are, and are normalized there; needs neither "
           "normalize_on nor wire_dtype";
  }
  if (const std::string reason = why_no_plan(pipeline); !reason.empty()) {
    return "transforms_on gpu: " + reason;
  }
  if (text_of(settings, "cache") == "cold") {
    return "transforms_on gpu: looking at images for the size of a batch leaves not all cold";
  }
  if (!decodes || text_of(settings, "trainer") == "discard") return {};
  return why_no_jpeg_decoder_on(text_of(settings, "device"));
}

// Bytes can be normalised only where they arrive as bytes, and floats only where they are made.
std::string why_not_wire(const Settings& settings, const PipelineSpec& pipeline) {
  const std::string wire = text_of(settings, "wire_dtype");
  const bool on_gpu = text_of(settings, "normalize_on") == "gpu";
  const bool makes_bytes = pipeline.dtype == SampleDtype::kUint8;
  const char* const end = end_of(pipeline);
  if (makes_bytes && on_gpu) {
    return fmt::format("normalize_on gpu: the pipeline {}, so nothing is to be normalised", end);
  }
  if (makes_bytes && (wire == "float32" || wire == "float16")) {
    return fmt::format("wire_dtype {}: the pipeline {}, whose samples cross as they are", wire,
                       end);
  }
  if (on_gpu && wire != "uint8") return "normalize_on gpu: needs bytes, wire_dtype uint8";
  if (!makes_bytes && wire == "uint8" && !on_gpu) {
    return "wire_dtype uint8: normalised samples are no bytes; needs normalize_on gpu";
  }
  return {};
}

// What was started cannot be made more or fewer, and what was not is started on this node only.
std::string why_not_ranks(const Settings& settings, const LaunchedRanks& launched) {
  const auto count = [&](const char* name) {
    return static_cast<std::size_t>(std::get<std::int64_t>(*find_setting(settings, name)));
  };
  const std::size_t ranks = count("ranks");
  if (launched.is_launched() && ranks != launched.size) {
    return fmt::format("ranks {}: {} were started; start as many as the cell is for", ranks,
                       launched.size);
  }
  if (ranks == 1) return {};
  if (text_of(settings, "engine") == "torch") {
    return fmt::format(
        "ranks {}: only the native engine has them; of the real DataLoader one "
        "process is measured",
        ranks);
  }
  const std::size_t per_node = ranks_on_a_node(settings);
  const std::size_t here = launched.is_launched() ? launched.per_node : ranks;
  const std::string staging = text_of(settings, "staging");
  if (per_node < ranks && (staging == "copy" || staging == "ram")) {
    return fmt::format(
        "staging {}: only the first node would have the copy; copy the dataset on "
        "every node before the job's ranks start",
        staging);
  }
  if (per_node == here) return {};
  return launched.is_launched()
             ? fmt::format("ranks_per_node {}: {} were started on this node", per_node, here)
             : fmt::format(
                   "ranks_per_node {}: feedrate itself starts all {} ranks on this node; "
                   "start it with srun or mpirun on several",
                   per_node, ranks);
}

}  // namespace

std::string skip_reason(const Settings& settings, const SweepConfig& config,
                        const PlanOptions& options) {
  const auto text = [&](const char* name) { return text_of(settings, name); };
  if (has_mock_loader(settings) && text("trainer") == "discard") {
    return "nothing to measure: neither a loader nor a trainer";
  }
  // The mock loader has no engine; one of a dataset in Python needs that dataset's first batch.
  const bool torch = text("engine") == "torch" || (config.dataset.own && has_mock_loader(settings));
  for (const std::string& reason :
       {torch ? why_not_torch(settings) : std::string(), why_not_trainer(settings),
        why_not_sequences(settings, config), why_not_points(settings, config.pipeline),
        why_not_ranks(settings, options.launched),
        config.dataset.own ? why_not_own_wire(settings) : why_not_wire(settings, config.pipeline),
        config.dataset.own ? std::string() : why_not_on_device(settings, config.pipeline)}) {
    if (!reason.empty()) return reason;
  }
  if (!text("emulate").empty() && text("worker_type") == "thread") {
    return "emulate: a cost profile is of worker processes";
  }
  if (config.dataset.own && !torch) {
    return "dataset.torch: only the PyTorch engine loads a dataset in Python";
  }
  if (config.dataset.own && (text("cache") == "warm" || text("cache") == "cold")) {
    return fmt::format("cache {}: which files a dataset in Python reads is not known",
                       text("cache"));
  }
  if (config.dataset.own && (text("staging") == "copy" || text("staging") == "ram")) {
    return fmt::format("staging {}: which files a dataset in Python reads is not known",
                       text("staging"));
  }
  if (torch && text("worker_type") == "thread") {
    return "worker_type thread: DataLoader's workers are processes";
  }
  if (torch && text("transport") == "ring") return "transport ring: DataLoader has no such thing";
  if (torch && is_opaque(config.pipeline) && config.dataset.skip_damaged) {
    return "dataset.skip_damaged: of opaque records only the native engine leaves damaged ones out";
  }
  const std::string start_method = text("multiprocessing_context");
  if (!torch && (start_method == "spawn" || start_method == "forkserver")) {
    return "multiprocessing_context: the native engine's workers are forked";
  }
  const auto* workers = std::get_if<std::int64_t>(find_setting(settings, "num_workers"));
  if (!workers || !config.max_workers_per_cpu) return {};
  const std::size_t cpus =
      options.launched.is_launched() ? options.launched.cpus : options.usable_cpus;
  const double most = *config.max_workers_per_cpu * static_cast<double>(cpus);
  const std::size_t ranks = ranks_on_a_node(settings);
  if (static_cast<double>(*workers) * static_cast<double>(ranks) <= most) return {};
  return fmt::format("more than max_workers_per_cpu {} on {} usable CPU{}{}",
                     *config.max_workers_per_cpu, cpus, cpus == 1 ? "" : "s",
                     ranks == 1 ? "" : fmt::format(" of {} ranks", ranks));
}

}  // namespace feedrate
