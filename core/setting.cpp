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

}  // namespace feedrate
