// SPDX-License-Identifier: Apache-2.0
// The settings of a cell of a plan: per knob, an index into the plan's values. Settings
// (core/setting.h) are the same as text, for results.
//
// Copies share the values, and set() appends to them: all cells of a plan belong to one thread, and
// a pointer to a value is valid until the next set().
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/plan/knob_id.h"
#include "core/setting.h"

namespace feedrate {

/// The values of a plan's cells, by knob.
using KnobValues = std::array<std::vector<SettingValue>, kMostKnobs>;

class CellSettings {
 public:
  CellSettings() : CellSettings(std::make_shared<KnobValues>()) {}
  explicit CellSettings(std::shared_ptr<KnobValues> values);
  /// Ignores names that are not knobs.
  CellSettings(const Settings& settings);  // NOLINT(google-explicit-constructor)

  /// In the order of knobs(), without knobs that are not set.
  operator Settings() const;  // NOLINT(google-explicit-constructor)

  /// Null if it is not set.
  [[nodiscard]] const SettingValue* find(KnobId knob) const;
  /// The value as text; empty if it is not set.
  [[nodiscard]] std::string text(KnobId knob) const;
  /// Returns `otherwise` if it is not set, or not to a whole number.
  [[nodiscard]] std::int64_t count(KnobId knob, std::int64_t otherwise = 0) const;

  void set(KnobId knob, const SettingValue& value);
  /// The value at `index` of the shared values.
  void set_index(KnobId knob, std::size_t index);

  friend bool operator==(const CellSettings& a, const CellSettings& b);
  /// Equal for equal settings that share their values.
  [[nodiscard]] std::size_t hash() const;

 private:
  std::shared_ptr<KnobValues> values_;
  std::array<std::uint32_t, kMostKnobs> indices_;  // from 1; 0: not set
};

}  // namespace feedrate
