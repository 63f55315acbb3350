// SPDX-License-Identifier: Apache-2.0
// Cells that differ in one setting alone. Pure functions of a result, which must outlive what they
// return; any thread.
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"

namespace feedrate {

/// Indices of a cell with a value and of one with the reference value.
struct EffectPair {
  std::size_t with = 0;
  std::size_t without = 0;
  friend auto operator<=>(const EffectPair&, const EffectPair&) = default;
};

/// Values in the order of the cells.
using PairsByValue = std::vector<std::pair<std::string, std::vector<EffectPair>>>;

/// Returns the pairs of `value`, after adding it if it is new.
std::vector<EffectPair>& pairs_with(PairsByValue& pairs, const std::string& value);

/// Pairs cells that differ in one setting alone, or also in settings that have no meaning in one of
/// them (bench/plan/canonicalize.h, or an empty value).
class EffectPairs {
 public:
  explicit EffectPairs(const std::vector<const CellResult*>& cells);

  /// Omits values without a pair.
  [[nodiscard]] PairsByValue of(const std::string& setting, const std::string& reference) const;

 private:
  using Buckets = std::map<std::string, std::vector<std::size_t>>;

  [[nodiscard]] std::string key_of(const Settings& settings, const std::string& but) const;
  [[nodiscard]] bool agree(const Settings& a, const Settings& b, const std::string& but) const;
  [[nodiscard]] Buckets bucket_by_all_but(const std::string& setting) const;
  [[nodiscard]] std::vector<std::size_t> counterparts(const Buckets& buckets,
                                                      const CellResult& cell,
                                                      const std::string& setting,
                                                      const SettingValue& value) const;

  const std::vector<const CellResult*>& cells_;
  std::vector<std::string> everywhere_;  // Settings with a meaning in all cells …
  std::vector<std::string> somewhere_;   // … and those without one in some.
};

}  // namespace feedrate
