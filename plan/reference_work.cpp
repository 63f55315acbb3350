#include "plan/reference_work.h"

#include <array>
#include <span>

namespace feedrate {
namespace {

constexpr std::array<const char*, 21> kTrainerWork{
    "device",          "batch_size", "wire_dtype",      "normalize_on",     "transforms_on",
    "trainer",         "step_ms",    "steps_ms",        "shapes",           "model",
    "precision",       "cuda_graph", "reference_batch", "host_overhead_us", "memory_intensity",
    "sync_every",      "padding",    "ranks",           "ranks_per_node",   "affinity",
    "all_reduce_bytes"};

constexpr auto kLoadingWork = std::to_array<const char*>(
    {"engine", "emulate", "format", "cache", "staging", "hdf5_reads", "batched_reads", "decoder",
     "batch_size", "shuffle", "shuffle_window", "wire_dtype", "normalize_on", "transforms_on",
     "padding", "presampled", "group_by_length", "ranks", "ranks_per_node", "affinity",
     // Of older results only.
     "file_reads", "disturbance_readers", "disturbance_read_bytes", "disturbance_metadata"});

std::string words(const Settings& settings, std::span<const char* const> names) {
  std::string text;
  for (const char* const name : names) text += text_of(settings, name) + '\n';
  return text;
}

}  // namespace

bool has_mock_loader(const Settings& settings) {
  const std::string loader = text_of(settings, "loader");
  return loader == "cached" || loader == "resident";
}

std::string trainer_work(const Settings& settings) {
  // The one decoder that is no loader's.
  const bool decodes = text_of(settings, "decoder") == "nvjpeg";
  return words(settings, kTrainerWork) + (decodes ? "nvjpeg" : "");
}

std::string loading_work(const Settings& settings) { return words(settings, kLoadingWork); }

}  // namespace feedrate
