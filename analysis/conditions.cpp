#include "analysis/conditions.h"

#include <algorithm>
#include <array>

#include "analysis/cell_text.h"

namespace feedrate {
namespace {

constexpr auto kConditions = std::to_array<std::string_view>({
    "device",
    "engine",
    "emulate",
    "cache",
    "shuffle",
    "shuffle_window",
    "group_by_length",
    "drop_last",
    "presampled",
    "loader",
    "trainer",
    "step_ms",
    "steps_ms",
    "shapes",
    "model",
    "precision",
    "memory_intensity",
    "cuda_graph",
    "reference_batch",
    "host_overhead_us",
    "sync",
    "sync_every",
    "ranks",
    "ranks_per_node",
    "all_reduce_bytes",
    // Of older results only: a background load that feedrate made.
    "disturbance_readers",
    "disturbance_read_bytes",
    "disturbance_metadata",
});

bool drops_samples(const CellResult* cell) {
  const double* const dropped = find_metric(cell->metrics, "samples_dropped");
  return dropped != nullptr && *dropped > 0.0;
}

}  // namespace

bool is_condition(std::string_view setting) {
  return std::find(kConditions.begin(), kConditions.end(), setting) != kConditions.end();
}

std::vector<std::string> varying_conditions(const std::vector<const CellResult*>& cells) {
  std::vector<std::string> names = varying_settings(cells);
  std::erase_if(names, [&](const std::string& name) {
    if (name == "drop_last") return std::none_of(cells.begin(), cells.end(), drops_samples);
    return !is_condition(name);
  });
  return names;
}

}  // namespace feedrate
