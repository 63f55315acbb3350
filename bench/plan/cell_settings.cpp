// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/cell_settings.h"

#include <algorithm>
#include <string_view>

#include "bench/plan/knobs.h"

namespace feedrate {
namespace {

std::size_t index_of(KnobId knob) { return static_cast<std::size_t>(knob); }

}  // namespace

CellSettings::CellSettings(std::shared_ptr<KnobValues> values)
    : values_(std::move(values)), places_{} {}

CellSettings::CellSettings(const Settings& settings) : CellSettings() {
  for (const Setting& setting : settings) {
    if (const Knob* const knob = known_knob(setting.name)) set(knob->id, setting.value);
  }
}

CellSettings::operator Settings() const {
  Settings settings;
  settings.reserve(kKnobs);
  for (const Knob& knob : knobs()) {
    const SettingValue* const value = find(knob.id);
    if (value != nullptr) settings.push_back({std::string(knob.name), *value});
  }
  return settings;
}

const SettingValue* CellSettings::find(KnobId knob) const {
  const std::uint32_t place = places_[index_of(knob)];
  return place == 0 ? nullptr : &(*values_)[index_of(knob)][place - 1];
}

std::string CellSettings::text(KnobId knob) const {
  const SettingValue* const value = find(knob);
  return value == nullptr ? std::string() : to_string(*value);
}

std::int64_t CellSettings::count(KnobId knob, std::int64_t otherwise) const {
  const SettingValue* const value = find(knob);
  const auto* const count = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  return count == nullptr ? otherwise : *count;
}

void CellSettings::set(KnobId knob, const SettingValue& value) {
  std::vector<SettingValue>& values = (*values_)[index_of(knob)];
  // From the end: what is set for many cells was added after the axis' own values.
  auto place =
      static_cast<std::size_t>(values.rend() - std::find(values.rbegin(), values.rend(), value));
  if (place == 0) {
    values.push_back(value);
    place = values.size();
  }
  places_[index_of(knob)] = static_cast<std::uint32_t>(place);
}

void CellSettings::set_place(KnobId knob, std::size_t place) {
  places_[index_of(knob)] = static_cast<std::uint32_t>(place) + 1;
}

bool operator==(const CellSettings& a, const CellSettings& b) {
  if (a.values_ == b.values_) return a.places_ == b.places_;
  return std::all_of(knobs().begin(), knobs().end(), [&](const Knob& knob) {
    const SettingValue* const one = a.find(knob.id);
    const SettingValue* const other = b.find(knob.id);
    return one == other || (one != nullptr && other != nullptr && *one == *other);
  });
}

std::size_t CellSettings::hash() const {
  const auto* const bytes = reinterpret_cast<const char*>(places_.data());
  return std::hash<std::string_view>{}({bytes, sizeof places_});
}

}  // namespace feedrate
