// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/torch/job.h"

#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "bench/engines/cell_trainer.h"
#include "bench/plan/knobs.h"
#include "core/error.h"

namespace feedrate {
namespace {

using Json = nlohmann::json;

struct TransformJson {
  Json operator()(const RandomResizedCrop& crop) const {
    return {{"name", "random_resized_crop"},
            {"size", {crop.height, crop.width}},
            {"scale", crop.scale},
            {"ratio", crop.ratio}};
  }
  Json operator()(const Resize& resize) const {
    if (!resize.width) return {{"name", "resize"}, {"size", resize.height}};
    return {{"name", "resize"}, {"size", {resize.height, *resize.width}}};
  }
  Json operator()(const CenterCrop& crop) const {
    return {{"name", "center_crop"}, {"size", {crop.height, crop.width}}};
  }
  Json operator()(const RandomHorizontalFlip& flip) const {
    return {{"name", "horizontal_flip"}, {"p", flip.p}};
  }
};

std::string utf8(const std::filesystem::path& path, const char* key) {
  const Json text = path.string();
  try {
    static_cast<void>(text.dump());
  } catch (const Json::type_error&) {
    throw ConfigError(
        fmt::format("{}: the path {} is not valid UTF-8, which the PyTorch engine needs; rename it",
                    key, text.dump(-1, ' ', false, Json::error_handler_t::replace)));
  }
  return path.string();
}

Json tokens_json(const TokenSequences& tokens) {
  return {{"max_length", tokens.max_length},
          {"padding", tokens.padding == Padding::kMaxLength ? "max_length" : "longest"}};
}

Json normalize_json(const Normalize& normalize) {
  return {{"mean", normalize.mean}, {"std", normalize.std}};
}

Json records_json(const TorchRecords& records, const CellSpec& cell) {
  const PipelineSpec pipeline = wire_pipeline(records.pipeline, cell);
  Json transforms = Json::array();
  for (const ImageTransform& transform : pipeline.transforms) {
    transforms.push_back(std::visit(TransformJson{}, transform));
  }
  Json json{{"path", utf8(std::filesystem::absolute(records.path), "dataset.path")},
            {"format", records.format},
            {"transforms", transforms},
            {"to_tensor", pipeline.dtype == SampleDtype::kFloat32},
            {"normalize", nullptr},
            {"resize_bytes", nullptr},
            {"tokens", nullptr},
            {"sample_points", nullptr},
            {"skip_damaged", records.skip_damaged}};
  if (const auto& size = pipeline.resize_bytes) json["resize_bytes"] = *size;
  if (const auto& tokens = pipeline.tokens) json["tokens"] = tokens_json(*tokens);
  if (const auto& points = pipeline.sample_points) json["sample_points"] = *points;
  if (const auto& normalize = pipeline.normalize) json["normalize"] = normalize_json(*normalize);
  return json;
}

Json folders_json(const std::vector<std::filesystem::path>& folders) {
  Json json = Json::array();
  for (const std::filesystem::path& folder : folders) {
    json.push_back(utf8(std::filesystem::absolute(folder).lexically_normal(), "dataset.torch"));
  }
  return json;
}

Json own_json(const OwnDataset& own) {
  return {{"factory", own.factory},       {"args", Json::parse(own.arguments_json)},
          {"collate_fn", own.collate_fn}, {"worker_init_fn", own.worker_init_fn},
          {"sampler", own.sampler},       {"batch_sampler", own.batch_sampler}};
}

Json dataset_json(const TorchDataset& dataset, const CellSpec& cell) {
  if (dataset.own) return {{"own", own_json(*dataset.own)}};
  return records_json(*dataset.records, cell);
}

Json options_json(const CellSpec& cell) {
  const ResolvedLoaderOptions& loader = cell.loader;
  const bool by_name = loader.transport == Transport::kFileSystem;
  return {{"batch_size", cell.has_own_batches ? Json() : Json(loader.batch_size)},
          {"num_workers", loader.num_workers},
          {"prefetch_factor", loader.prefetch_factor},
          {"persistent_workers", loader.persistent_workers},
          {"pin_memory", loader.memory == HostMemory::kPinned},
          {"shuffle", loader.shuffle},
          {"shuffle_window", loader.shuffle_window},
          {"group_by_length", loader.group_by_length},
          {"drop_last", loader.drop_last},
          {"in_order", loader.in_order},
          {"seed", loader.seed},
          {"timeout", to_seconds(loader.timeout)},
          {"multiprocessing_context",
           loader.multiprocessing_context.empty() ? Json() : Json(loader.multiprocessing_context)},
          {"sharing_strategy", by_name ? "file_system" : "file_descriptor"},
          {"cached", cell.cached_loader}};
}

// Knobs of the loader that this engine alone has; job.py has their defaults.
void add_own_knobs(const CellSettings& settings, Json& loader) {
  for (const Knob& knob : knobs()) {
    const SettingValue* const value = settings.find(knob.id);
    if (!knob.only_torch || knob.section != "loader" || value == nullptr) continue;
    const std::string text = to_string(*value);
    if (text.empty() || text == knob.fallback) continue;
    loader[knob.key] = std::visit([](const auto& held) { return Json(held); }, *value);
  }
}

Json loader_json(const CellSpec& cell) {
  Json loader = options_json(cell);
  add_own_knobs(cell.settings, loader);
  return loader;
}

Json protocol_json(const ProtocolOptions& protocol) {
  Json window_limit;
  if (protocol.window_limit) window_limit = protocol.window_limit->count();
  return {{"short_epochs", protocol.short_epochs},
          {"short_epoch_batches", protocol.short_epoch_batches()},
          {"discarded", protocol.discarded_steps()},
          {"kept", protocol.kept_steps()},
          {"window_limit_ns", window_limit},
          {"least_kept", protocol.least_steps()},
          {"round", protocol.round()},
          {"max_outstanding", protocol.max_outstanding}};
}

int cuda_index(const std::string& device) {
  int index = 0;
  const std::size_t colon = device.find(':');
  if (colon != std::string::npos) {
    std::from_chars(device.data() + colon + 1, device.data() + device.size(), index);
  }
  return index;
}

// The child repeats the list.
Json steps_json(const CellSpec& cell) {
  if (cell.burn) return Json::array({cell.burn->step.count()});
  Json steps = Json::array();
  if (!cell.trace) return steps;
  for (const Nanos step : cell.trace->steps) steps.push_back(step.count());
  return steps;
}

// REQUIRES: burn, trace or the user's own step, which ignores steps_ns
Json cuda_json(const CellSpec& cell, const TorchDataset& dataset) {
  const std::size_t reference = cell.burn    ? cell.burn->reference_batch
                                : cell.trace ? cell.trace->reference_batch
                                             : 1;
  const WorkUnits units = dataset.records ? work_units(dataset.records->pipeline) : WorkUnits();
  Json normalize;
  if (cell.normalize_on_gpu) {
    normalize = normalize_json(dataset.records->pipeline.normalize.value_or(Normalize()));
  }
  return {{"device", cuda_index(cell.device)},
          {"non_blocking", cell.transfer.non_blocking},
          {"side_stream", cell.transfer.copy_stream == CopyStream::kSide},
          {"device_prefetch", cell.transfer.device_prefetch},
          {"sync_every", cell.transfer.sync_every},
          {"host_overhead_ns", cell.transfer.host_overhead.count()},
          {"steps_ns", steps_json(cell)},
          {"reference_batch", reference * units.per_sample},
          {"unit_bytes", units.bytes},
          {"label_bytes", kTorchLabelBytes},
          {"normalize", normalize},
          {"run_ahead", kRunAhead}};
}

std::string trainer_name(const CellSpec& cell) {
  if (!cell.trains()) return "discard";
  if (cell.has_own_step()) return "own";
  return is_cuda(cell) ? "cuda" : "parent";
}

}  // namespace

std::string torch_job(const CellSpec& cell, const TorchDataset& dataset,
                      const ProtocolOptions& protocol, pid_t parent) {
  const bool trains = is_cuda(cell) && cell.trains();
  const Json json{
      {"parent", parent},
      {"module_folders", folders_json(dataset.module_folders)},
      {"dataset", dataset_json(dataset, cell)},
      {"loader", loader_json(cell)},
      {"protocol", protocol_json(protocol)},
      {"trainer", trainer_name(cell)},
      {"step_factory", cell.step.factory},
      {"cuda", trains ? cuda_json(cell, dataset) : Json()},
      {"simulate_pinning", !is_cuda(cell) && cell.loader.memory == HostMemory::kPinned}};
  return json.dump();
}

std::string variant_need(std::string_view variant) {
  return variant.empty() ? "dataset.torch" : fmt::format("variant {}", variant);
}

std::map<std::string, std::string> functions_of(const CellSpec& cell) {
  std::map<std::string, std::string> functions;
  const auto add = [&](const char* key, const std::string& reference) {
    if (!reference.empty()) functions[fmt::format("{} {}", key, reference)] = reference;
  };
  add("loader.factory", cell.loader_factory);
  if (cell.has_own_step()) add("trainer.torch", cell.step.factory);
  return functions;
}

TorchNeeds all_required(TorchNeeds needs) {
  needs.modules.merge(needs.format_modules);
  needs.format_modules.clear();
  return needs;
}

std::string torch_probe(const TorchNeeds& needs, pid_t parent) {
  Json probe{{"modules", needs.modules},
             {"format_modules", needs.format_modules},
             {"cuda", needs.cuda},
             {"own", Json::object()},
             {"functions", needs.functions}};
  for (const OwnDataset& own : needs.own) probe["own"][variant_need(own.variant)] = own_json(own);
  return Json{
      {"parent", parent}, {"module_folders", folders_json(needs.module_folders)}, {"probe", probe}}
      .dump();
}

std::string torch_server_job(const std::vector<std::string>& modules) {
  return Json{{"parent", ::getpid()}, {"serve", {{"modules", modules}}}}.dump();
}

bool is_cuda(const CellSpec& cell) { return cell.device.starts_with("cuda"); }

}  // namespace feedrate
