#include "plan/neutral.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "formats/registry.h"

namespace feedrate {
namespace {

// An empty value: shown as an empty field, taken as "not asked for".
const SettingValue kNothing = std::string();
// The device decodes then: that is the trainer's work, and no other engine's.
const SettingValue kNvjpeg = std::string("nvjpeg");
const SettingValue kSide = std::string("side");
const SettingValue kLibrary = std::string("library");
constexpr const char* kOwnStream = "is side with device_prefetch";
constexpr const char* kNoHdf5 = "has no meaning where nothing is HDF5";
constexpr const char* kNotContiguous = "is library for HDF5 that is not contiguous";

struct Rule {
  const char* knob;    ///< where this knob …
  SettingValue value;  ///< … has this value …
  const char* reason;
  std::vector<Setting> neutral;  ///< … these mean nothing, and stand at these values.
  std::string_view format = {};  ///< Where the format begins so.
  std::optional<SettingValue> kept = std::nullopt;  ///< One that stands there as it does.
};

// One for each format, so that a new one has it, too.
void no_hdf5_reads_elsewhere(std::vector<Rule>& table) {
  for (const Format& format : formats()) {
    if (format.name == "hdf5-contiguous") continue;
    const bool is_hdf5 = format.name.starts_with("hdf5");
    table.push_back({"format",
                     std::string(format.name),
                     is_hdf5 ? kNotContiguous : kNoHdf5,
                     {{"hdf5_reads", is_hdf5 ? kLibrary : kNothing}}});
  }
  table.push_back({"hdf5_reads",
                   std::string("library"),
                   "has no meaning where the HDF5 library reads",
                   {{"batched_reads", kNothing}},
                   "hdf5"});
}

// One batch again and again, which none of these makes.
std::vector<Setting> what_mocks_ignore() {
  std::vector<Setting> neutral;
  for (const char* const knob : {"num_workers",     "persistent_workers",
                                 "prefetch_factor", "drop_last",
                                 "format",          "cache",
                                 "staging",         "hdf5_reads",
                                 "batched_reads",   "presampled",
                                 "decoder",         "shuffle",
                                 "shuffle_window",  "group_by_length",
                                 "in_order",        "timeout",
                                 "worker_type",     "multiprocessing_context",
                                 "transport",       "engine",
                                 "emulate"}) {
    neutral.push_back({knob, kNothing});
  }
  return neutral;
}

std::vector<Rule> make_rules() {
  std::vector<Rule> table{
      {"loader", std::string("cached"), "has no meaning with the cached loader",
       what_mocks_ignore(), "", kNvjpeg},
      {"loader", std::string("resident"), "has no meaning with the resident loader",
       what_mocks_ignore(), "", kNvjpeg},
      {"loader",
       std::string("resident"),
       "has no meaning where nothing is copied",
       {{"pin_memory", false},
        {"copy_stream", std::string("same")},
        {"device_prefetch", std::int64_t{0}}}},
      {"num_workers",
       std::int64_t{0},
       "has no meaning without workers (PyTorch refuses it)",
       {{"persistent_workers", kNothing},
        {"prefetch_factor", kNothing},
        {"in_order", kNothing},
        {"timeout", kNothing},
        {"worker_type", kNothing},
        {"multiprocessing_context", kNothing},
        {"transport", kNothing}}},
      {"worker_type",
       std::string("thread"),
       "has no meaning with worker threads",
       {{"multiprocessing_context", kNothing}, {"transport", kNothing}}},
      {"engine",
       std::string("torch"),
       "has no meaning with the real DataLoader",
       {{"emulate", kNothing},
        {"hdf5_reads", kNothing},
        {"batched_reads", kNothing},
        {"decoder", kNothing}},
       "",
       kNvjpeg},
      {"shuffle", false, "has no meaning without shuffle", {{"shuffle_window", std::int64_t{0}}}},
      {"ranks",
       std::int64_t{1},
       "has no meaning with one rank",
       {{"ranks_per_node", kNothing}, {"affinity", kNothing}, {"all_reduce_bytes", kNothing}}},
      {"padding",
       std::string("max_length"),
       "has no effect where all sequences are padded alike",
       {{"group_by_length", false}}},
      {"trainer",
       std::string("discard"),
       "has no meaning with the discard trainer",
       {{"non_blocking", kNothing},
        {"copy_stream", kNothing},
        {"device_prefetch", kNothing},
        {"sync", kNothing},
        {"step_ms", kNothing},
        {"steps_ms", kNothing},
        {"shapes", kNothing},
        {"model", kNothing},
        {"precision", kNothing},
        {"memory_intensity", kNothing},
        {"cuda_graph", kNothing},
        {"reference_batch", kNothing},
        {"host_overhead_us", kNothing},
        {"sync_every", kNothing},
        {"all_reduce_bytes", std::int64_t{0}}}},
      {"trainer",
       std::string("burn"),
       "has no meaning with the burn trainer",
       {{"steps_ms", kNothing},
        {"shapes", kNothing},
        {"model", kNothing},
        {"precision", kNothing}}},
      {"trainer",
       std::string("gemm"),
       "has no meaning with the gemm trainer",
       {{"step_ms", kNothing},
        {"steps_ms", kNothing},
        {"model", kNothing},
        {"memory_intensity", kNothing}}},
      {"trainer",
       std::string("cnn"),
       "has no meaning with the cnn trainer",
       {{"step_ms", kNothing},
        {"steps_ms", kNothing},
        {"shapes", kNothing},
        {"reference_batch", kNothing},
        {"memory_intensity", kNothing}}},
      {"trainer",
       std::string("trace"),
       "has no meaning with the trace trainer",
       {{"step_ms", kNothing},
        {"shapes", kNothing},
        {"model", kNothing},
        {"precision", kNothing},
        {"memory_intensity", kNothing},
        {"cuda_graph", kNothing}}},
      {"staging",
       std::string("ram"),
       "is as-is where the dataset lies in memory",
       {{"cache", std::string("as-is")}}},
      {"device_prefetch", std::int64_t{1}, kOwnStream, {{"copy_stream", kSide}}},
      {"device_prefetch", std::int64_t{2}, kOwnStream, {{"copy_stream", kSide}}},
      {"pin_memory",
       false,
       "has no effect on a copy from pageable memory",
       {{"non_blocking", false}}},
      {"pin_memory",
       false,
       "has no meaning where nothing is pinned",
       {{"pin_allocator", kNothing}}},
  };
  no_hdf5_reads_elsewhere(table);
  return table;
}

const std::vector<Rule>& rules() {
  static const std::vector<Rule> table = make_rules();
  return table;
}

SettingValue& setting(Settings& settings, const std::string& name) {
  return std::find_if(settings.begin(), settings.end(),
                      [&](const Setting& candidate) { return candidate.name == name; })
      ->value;
}

}  // namespace

std::vector<Neutralized> neutralize(Settings& settings) {
  std::vector<Neutralized> changed;
  for (const Rule& rule : rules()) {
    if (setting(settings, rule.knob) != rule.value) continue;
    if (!to_string(setting(settings, "format")).starts_with(rule.format)) continue;
    for (const Setting& neutral : rule.neutral) {
      SettingValue& value = setting(settings, neutral.name);
      if (value == neutral.value || value == kNothing || value == rule.kept) continue;
      value = neutral.value;
      changed.push_back({neutral.name, rule.reason});
    }
  }
  return changed;
}

}  // namespace feedrate
