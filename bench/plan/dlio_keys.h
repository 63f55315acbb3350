// SPDX-License-Identifier: Apache-2.0
// The keys of a DLIO workload: which of them a sweep reads, which have no effect on what is loaded,
// and which are refused. One instance belongs to one thread; it refers to the tree it was made of.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bench/plan/config_node.h"

namespace feedrate {

/// Reads keys with DLIO's defaults and records which were asked for. Keys are written
/// "section.key"; `reader` is also found under its old name, `data_reader`. All throw ConfigError
/// naming file, line and key.
class DlioKeys {
 public:
  /// A workload, or what Hydra keeps of a run of it: the workload below `workload`. Throws for a
  /// section that DLIO does not have.
  explicit DlioKeys(const ConfigNode& root);

  /// The one of `names` that the workload has, of which the first is the present one and the others
  /// are older. Null where it has none; throws where it has two.
  const ConfigNode* find(std::initializer_list<std::string_view> names);

  std::string text(std::string_view name, const char* fallback);
  double number(std::initializer_list<std::string_view> names, double fallback, double least,
                double most);
  std::int64_t integer(std::initializer_list<std::string_view> names, std::int64_t fallback,
                       std::int64_t least);
  bool flag(std::string_view name, bool fallback);

  /// An error at the place of `name`, which need not be in the workload.
  [[nodiscard]] ConfigError error(std::string_view name, std::string_view problem) const;

  /// The keys that no one asked for. Throws for the first that may change what is read: one with a
  /// value that feedrate cannot honor, or one that is unknown.
  [[nodiscard]] std::vector<std::string> without_effect() const;

 private:
  [[nodiscard]] const ConfigNode* node(std::string_view name) const;
  void require_without_effect(std::string_view name, const ConfigNode& value) const;

  const ConfigNode& root_;
  std::set<std::string, std::less<>> used_;
};

}  // namespace feedrate
