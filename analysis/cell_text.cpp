// SPDX-License-Identifier: Apache-2.0
#include "analysis/cell_text.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace feedrate {
namespace {

std::string all_but(const CellResult& cell, const std::string& name) {
  std::string text;
  for (const Setting& setting : cell.settings) {
    if (setting.name != name)
      text += fmt::format("{}={}\n", setting.name, to_string(setting.value));
  }
  return text;
}

bool distinguishes_cells(std::span<const CellResult* const> cells, const std::string& name) {
  std::map<std::string, std::string> values;
  return std::any_of(cells.begin(), cells.end(), [&](const CellResult* cell) {
    const std::string text = setting_text(*cell, name);
    return values.try_emplace(all_but(*cell, name), text).first->second != text;
  });
}

// An empty value usually means "no meaning". For some knobs it is a value ("none", "as it is"):
// then there are cells that differ in it alone.
bool varies(std::span<const CellResult* const> cells, const std::string& name) {
  std::string value;
  bool has_empty = false;
  for (const CellResult* const cell : cells) {
    const std::string text = setting_text(*cell, name);
    has_empty = has_empty || text.empty();
    if (value.empty()) value = text;
    if (!text.empty() && text != value) return true;
  }
  return has_empty && !value.empty() && distinguishes_cells(cells, name);
}

std::vector<std::string> names_of(const CellResult& cell) {
  std::vector<std::string> names;
  for (const Setting& setting : cell.settings) names.push_back(setting.name);
  return names;
}

std::vector<std::string> select_settings(std::span<const CellResult* const> cells, bool varying) {
  if (cells.empty()) return {};
  std::vector<std::string> names = names_of(*cells.front());
  std::erase_if(names, [&](const std::string& name) { return varies(cells, name) != varying; });
  return names;
}

std::vector<const CellResult*> all_cells(const RunResult& run) {
  std::vector<const CellResult*> cells;
  for (const CellResult& cell : run.cells) cells.push_back(&cell);
  return cells;
}

}  // namespace

std::string setting_text(const CellResult& cell, const std::string& name) {
  return text_of(cell.settings, name);
}

std::string describe(const CellResult& cell, std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) {
    const SettingValue* const value = find_setting(cell.settings, name);
    if (value == nullptr || to_string(*value).empty()) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, to_string(*value));
  }
  return text;
}

std::vector<std::string> setting_names(const RunResult& run) {
  return run.cells.empty() ? std::vector<std::string>() : names_of(run.cells.front());
}

std::vector<std::string> varying_settings(const RunResult& run) {
  return select_settings(all_cells(run), true);
}

std::vector<std::string> varying_settings(std::span<const CellResult* const> cells) {
  return select_settings(cells, true);
}

std::vector<std::string> constant_settings(const RunResult& run) {
  return constant_settings(all_cells(run));
}

std::vector<std::string> constant_settings(std::span<const CellResult* const> cells) {
  return select_settings(cells, false);
}

bool is_set(const RunResult& run, const std::string& name) {
  return std::find(run.set.begin(), run.set.end(), name) != run.set.end();
}

std::string constant_text(const RunResult& run, const std::string& name) {
  return constant_text(all_cells(run), name);
}

std::string constant_text(std::span<const CellResult* const> cells, const std::string& name) {
  for (const CellResult* const cell : cells) {
    if (std::string text = setting_text(*cell, name); !text.empty()) return text;
  }
  return {};
}

std::string name_cell(const CellResult& cell, std::span<const std::string> varying) {
  const std::string text = describe(cell, varying);
  return text.empty() ? fmt::format("cell {}", cell.index) : text;
}

std::string simulation_notice(const RunResult& run) {
  if (!run.simulated) return "";
  std::vector<std::string> devices;
  for (const CellResult& cell : run.cells) {
    const std::string device = setting_text(cell, "device");
    if (!device.starts_with("sim")) continue;
    if (std::find(devices.begin(), devices.end(), device) == devices.end()) {
      devices.push_back(device);
    }
  }
  return devices.empty() ? "simulated device"
                         : fmt::format("simulated device: {}", fmt::join(devices, ", "));
}

}  // namespace feedrate
