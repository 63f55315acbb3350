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
    : values_(std::move(values)), indices_{} {}

CellSettings::CellSettings(const Settings& settings) : CellSettings() {
  for (const Setting& setting : settings) {
    if (const Knob* const knob = known_knob(setting.name)) set(knob->id, setting.value);
  }
}

CellSettings::operator Settings() const {
  Settings settings;
  settings.reserve(knobs().size());
  for (const Knob& knob : knobs()) {
    const SettingValue* const value = find(knob.id);
    if (value != nullptr) settings.push_back({std::string(knob.name), *value});
  }
  return settings;
}

const SettingValue* CellSettings::find(KnobId knob) const {
  const std::uint32_t index = indices_[index_of(knob)];
  return index == 0 ? nullptr : &(*values_)[index_of(knob)][index - 1];
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
  // searches from the end, where set() appends values
  auto index =
      static_cast<std::size_t>(values.rend() - std::find(values.rbegin(), values.rend(), value));
  if (index == 0) {
    values.push_back(value);
    index = values.size();
  }
  indices_[index_of(knob)] = static_cast<std::uint32_t>(index);
}

void CellSettings::set_index(KnobId knob, std::size_t index) {
  indices_[index_of(knob)] = static_cast<std::uint32_t>(index) + 1;
}

bool operator==(const CellSettings& a, const CellSettings& b) {
  if (a.values_ == b.values_) return a.indices_ == b.indices_;
  return std::all_of(knobs().begin(), knobs().end(), [&](const Knob& knob) {
    const SettingValue* const one = a.find(knob.id);
    const SettingValue* const other = b.find(knob.id);
    return one == other || (one != nullptr && other != nullptr && *one == *other);
  });
}

std::size_t CellSettings::hash() const {
  const auto* const bytes = reinterpret_cast<const char*>(indices_.data());
  return std::hash<std::string_view>{}({bytes, sizeof indices_});
}

}  // namespace feedrate
