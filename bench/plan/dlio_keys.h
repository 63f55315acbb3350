// SPDX-License-Identifier: Apache-2.0
// The keys of a DLIO workload: those that a sweep reads, those without effect on loading, and those
// that are refused. One thread; it refers to the tree that it was made from.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bench/plan/config_node.h"

namespace feedrate {

/// Reads keys with DLIO's defaults and records which were read. Keys are written "section.key";
/// `reader` is also found under its old name, `data_reader`. All throw ConfigError naming file,
/// line and key.
class DlioKeys {
 public:
  /// `root` is a workload, or Hydra's record of a run, with the workload below `workload`. Throws
  /// for a section that DLIO does not have.
  explicit DlioKeys(const ConfigNode& root);

  /// Finds a key by its present name, the first, or an older one. Null if there is none; throws if
  /// there are two.
  const ConfigNode* find(std::initializer_list<std::string_view> names);

  std::string text(std::string_view name, const char* fallback);
  double number(std::initializer_list<std::string_view> names, double fallback, double least,
                double most);
  std::int64_t integer(std::initializer_list<std::string_view> names, std::int64_t fallback,
                       std::int64_t least);
  bool flag(std::string_view name, bool fallback);

  /// An error at the line of `name`, which may be missing from the workload.
  [[nodiscard]] ConfigError error(std::string_view name, std::string_view problem) const;

  /// The keys that were not read. Throws for the first that may change what is read: one with a
  /// value that feedrate cannot honor, or an unknown one.
  [[nodiscard]] std::vector<std::string> without_effect() const;

 private:
  [[nodiscard]] const ConfigNode* node(std::string_view name) const;
  void require_without_effect(std::string_view name, const ConfigNode& value) const;

  const ConfigNode& root_;
  std::set<std::string, std::less<>> used_;
};

}  // namespace feedrate
