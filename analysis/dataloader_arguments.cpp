// SPDX-License-Identifier: Apache-2.0
#include "analysis/dataloader_arguments.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "analysis/cell_text.h"
#include "bench/plan/knobs.h"

namespace feedrate {
namespace {

constexpr auto kPositionOfArgument = [](const Knob& knob) { return knob.argument.position; };
constexpr auto kPositionOfOwnValues = [](const Knob& knob) { return knob.own.position; };

std::optional<SettingValue> argument(const CellResult& cell, const Knob& knob) {
  const SettingValue* const value = find_setting(cell.settings, std::string(knob.name));
  if (value == nullptr || to_string(*value).empty()) return std::nullopt;
  if (knob.argument.needs_workers && count_of(cell.settings, "num_workers") == 0)
    return std::nullopt;
  const bool has_sampler = is_grouped(cell) || has_ranks(cell);
  if (has_sampler && knob.name == "shuffle") return std::nullopt;
  if (to_string(*value) != knob.argument.otherwise) return *value;
  // The native engine always forks; the default of the user's Python may differ.
  const bool was_forked =
      knob.name == "multiprocessing_context" && setting_text(cell, "engine") == "native";
  return was_forked ? std::optional<SettingValue>("fork") : std::nullopt;
}

}  // namespace

std::string why_not_pastable(const CellResult& cell) {
  for (const Knob* const knob : by_position(kPositionOfOwnValues)) {
    const std::string value = setting_text(cell, std::string(knob->name));
    const auto& known = knob->own.in_pytorch;
    if (value.empty() || std::find(known.begin(), known.end(), value) != known.end()) continue;
    return fmt::format("{}={} is feedrate's own {}; PyTorch has no such setting", knob->name, value,
                       knob->own.what);
  }
  return {};
}

bool is_pastable(const CellResult& cell) { return why_not_pastable(cell).empty(); }

Settings dataloader_kwargs(const CellResult& cell) {
  Settings arguments;
  for (const Knob* const knob : by_position(kPositionOfArgument)) {
    if (const auto value = argument(cell, *knob)) {
      arguments.push_back({std::string(knob->name), *value});
    }
  }
  return arguments;
}

bool has_ranks(const CellResult& cell) { return count_of(cell.settings, "ranks") > 1; }

bool is_grouped(const CellResult& cell) { return setting_text(cell, "group_by_length") == "true"; }

}  // namespace feedrate
