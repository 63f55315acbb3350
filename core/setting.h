// SPDX-License-Identifier: Apache-2.0
// One knob with one value.
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

/// Null if `name` is not set.
[[nodiscard]] const SettingValue* find_setting(const Settings& settings, const std::string& name);
const SettingValue* find_setting(const Settings&& settings, const std::string& name) = delete;

/// The value as text; empty if `name` is not set.
[[nodiscard]] std::string text_of(const Settings& settings, const std::string& name);
/// Returns `otherwise` if `name` is not set or not to a whole number.
[[nodiscard]] std::int64_t count_of(const Settings& settings, const std::string& name,
                                    std::int64_t otherwise = 0);

}  // namespace feedrate
