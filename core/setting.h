// SPDX-License-Identifier: Apache-2.0
// One knob at one value, as a cell of the sweep holds it and as a result keeps it.
#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace feedrate {

using SettingValue = std::variant<bool, std::int64_t, double, std::string>;

/// "true", "16", "0.5", "folder": the form in tables, CSV files and --only.
[[nodiscard]] std::string to_string(const SettingValue& value);

struct Setting {
  std::string name;
  SettingValue value;
  friend bool operator==(const Setting&, const Setting&) = default;
};

using Settings = std::vector<Setting>;

/// Null where `name` is not set.
[[nodiscard]] const SettingValue* find_setting(const Settings& settings, const std::string& name);
const SettingValue* find_setting(const Settings&& settings, const std::string& name) = delete;

/// Its text; empty where `name` is not set.
[[nodiscard]] std::string text_of(const Settings& settings, const std::string& name);
/// `otherwise` where `name` is not set, or not to a whole number.
[[nodiscard]] std::int64_t count_of(const Settings& settings, const std::string& name,
                                    std::int64_t otherwise = 0);

}  // namespace feedrate
