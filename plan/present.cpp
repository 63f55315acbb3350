#include "plan/present.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/error.h"
#include "plan/knobs.h"
#include "plan/neutral.h"

namespace feedrate {
namespace {

constexpr std::array<const char*, 8> kDefaults{
    "num_workers",  "prefetch_factor", "persistent_workers", "pin_memory",
    "non_blocking", "in_order",        "copy_stream",        "device_prefetch"};

void set(Settings& settings, const std::string& name, const SettingValue& value) {
  std::find_if(settings.begin(), settings.end(), [&](const Setting& setting) {
    return setting.name == name;
  })->value = value;
}

}  // namespace

std::vector<Setting> parse_present(const std::string& text) try {
  std::vector<Setting> settings;
  if (text.empty()) return settings;
  for (const Axis& axis : parse_axes(text)) {
    if (axis.values.size() > 1) {
      throw ConfigError(fmt::format("{}: has several values; name the one in use", axis.name));
    }
    settings.push_back({axis.name, axis.values.front()});
  }
  return settings;
} catch (const ConfigError& error) {
  throw ConfigError(fmt::format("--present {}: {}", text, error.what()));
}

Settings present_settings(Settings like, const std::vector<Setting>& named) {
  for (const char* name : kDefaults) {
    const Knob& knob = find_knob(name);
    set(like, name, parse_knob(knob, std::string(knob.fallback), name));
  }
  // What had no meaning without workers in `like` has one beside the workers that are named.
  for (const char* name : {"timeout", "worker_type", "multiprocessing_context", "transport"}) {
    const Knob& knob = find_knob(name);
    const bool is_empty = to_string(*find_setting(like, name)).empty();
    if (is_empty) set(like, name, parse_knob(knob, std::string(knob.fallback), name));
  }
  for (const Setting& setting : named) set(like, setting.name, setting.value);
  neutralize(like);
  return like;
}

}  // namespace feedrate
