// SPDX-License-Identifier: Apache-2.0
#include "core/setting.h"

#include <algorithm>

#include <fmt/format.h>

namespace feedrate {

std::string to_string(const SettingValue& value) {
  return std::visit([](const auto& held) { return fmt::format("{}", held); }, value);
}

const SettingValue* find_setting(const Settings& settings, const std::string& name) {
  const auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const Setting& setting) { return setting.name == name; });
  return found == settings.end() ? nullptr : &found->value;
}

std::string text_of(const Settings& settings, const std::string& name) {
  const SettingValue* const value = find_setting(settings, name);
  return value == nullptr ? std::string() : to_string(*value);
}

std::int64_t count_of(const Settings& settings, const std::string& name, std::int64_t otherwise) {
  const SettingValue* const value = find_setting(settings, name);
  const auto* const count = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  return count == nullptr ? otherwise : *count;
}

}  // namespace feedrate
