// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/present.h"

#include <algorithm>

#include <fmt/format.h>

#include "bench/plan/canonicalize.h"
#include "bench/plan/knobs.h"
#include "core/error.h"

namespace feedrate {
std::vector<Setting> parse_present(const std::string& text) try {
  std::vector<Setting> settings;
  if (text.empty()) return settings;
  for (const Axis& axis : parse_axes(text)) {
    if (axis.values.size() > 1) {
      throw ConfigError(fmt::format("{}: has several values; must be the one in use", axis.name));
    }
    settings.push_back({axis.name, axis.values.front()});
  }
  return settings;
} catch (const ConfigError& error) {
  throw ConfigError(fmt::format("--present {}: {}", text, error.what()));
}

CellSettings present_settings(CellSettings like, const std::vector<Setting>& named) {
  for (const Knob& knob : knobs()) {
    // a knob that had no effect without workers in `like` may have one with the named workers
    const bool lacked_workers =
        idle_with(knob, IdleWith::kNoWorkers) != nullptr && like.text(knob.id).empty();
    if (knob.is_default_today || lacked_workers)
      like.set(knob.id, parse_knob(knob, std::string(knob.fallback), knob.name));
  }
  for (const Setting& setting : named) like.set(find_knob(setting.name).id, setting.value);
  canonicalize(like);
  return like;
}

}  // namespace feedrate
