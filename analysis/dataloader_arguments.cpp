#include "analysis/dataloader_arguments.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "analysis/cell_text.h"

namespace feedrate {
namespace {

struct NativeOnly {
  const char* knob;
  const char* what;                    ///< of feedrate's own has other values …
  std::array<std::string_view, 2> in;  ///< … than these, which are PyTorch's
};

constexpr std::array<NativeOnly, 7> kNativeOnly{
    {{"worker_type", "loader", {"process"}},
     {"transport", "transport", {"fresh", "file_system"}},
     {"decoder", "decoder", {"library", "nvjpeg"}},
     {"hdf5_reads", "reader", {"library"}},
     {"batched_reads", "reader", {"false"}},
     {"shuffle_window", "sampler", {"0"}},
     {"sync", "way of waiting for the device", {"auto"}}}};

struct Knob {
  const char* name;
  bool needs_workers;               ///< PyTorch refuses it where there are none
  std::string_view otherwise = {};  ///< PyTorch's default, where it is left out
};

constexpr std::array<Knob, 10> kKnobs{{{"batch_size", false},
                                       {"shuffle", false},
                                       {"num_workers", false},
                                       {"prefetch_factor", true},
                                       {"pin_memory", false},
                                       {"persistent_workers", true},
                                       {"drop_last", false},
                                       {"timeout", true, "0"},
                                       {"in_order", false, "true"},
                                       {"multiprocessing_context", true, "default"}}};

std::optional<SettingValue> argument(const CellResult& cell, const Knob& knob) {
  const SettingValue* const value = find_setting(cell.settings, knob.name);
  if (value == nullptr || to_string(*value).empty()) return std::nullopt;
  if (knob.needs_workers && count_of(cell.settings, "num_workers") == 0) return std::nullopt;
  const bool has_sampler = is_grouped(cell) || has_ranks(cell);
  if (has_sampler && std::string_view(knob.name) == "shuffle") return std::nullopt;
  if (to_string(*value) != knob.otherwise) return *value;
  // The native engine's default is its only start method, whichever that of the user's Python is.
  const bool was_forked = std::string_view(knob.name) == "multiprocessing_context" &&
                          setting_text(cell, "engine") == "native";
  return was_forked ? std::optional<SettingValue>("fork") : std::nullopt;
}

}  // namespace

std::string why_not_pastable(const CellResult& cell) {
  for (const auto& [knob, what, in] : kNativeOnly) {
    const std::string value = setting_text(cell, knob);
    if (value.empty() || std::find(in.begin(), in.end(), value) != in.end()) continue;
    return fmt::format("{}={} is feedrate's own {}: PyTorch has no such setting", knob, value,
                       what);
  }
  return {};
}

bool is_pastable(const CellResult& cell) { return why_not_pastable(cell).empty(); }

Settings dataloader_kwargs(const CellResult& cell) {
  Settings arguments;
  for (const Knob& knob : kKnobs) {
    if (const auto value = argument(cell, knob)) arguments.push_back({knob.name, *value});
  }
  return arguments;
}

bool has_ranks(const CellResult& cell) { return count_of(cell.settings, "ranks") > 1; }

bool is_grouped(const CellResult& cell) { return setting_text(cell, "group_by_length") == "true"; }

}  // namespace feedrate
