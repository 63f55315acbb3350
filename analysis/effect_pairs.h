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

/// Two cells by their index: one with a value, one with the reference value.
struct EffectPair {
  std::size_t with = 0;
  std::size_t without = 0;
  friend auto operator<=>(const EffectPair&, const EffectPair&) = default;
};

/// The pairs of each value, in the order of the cells.
using PairsByValue = std::vector<std::pair<std::string, std::vector<EffectPair>>>;

/// The pairs of that value, which becomes one where there is none yet.
std::vector<EffectPair>& pairs_with(PairsByValue& pairs, const std::string& value);

/// Two cells are a pair, too, where a setting that has no meaning in one of them has another value
/// in the other: what bench/plan/canonicalize.h says of it, or an empty value.
class EffectPairs {
 public:
  explicit EffectPairs(const std::vector<const CellResult*>& cells);

  /// Values without a pair are left out.
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
