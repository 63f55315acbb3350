// SPDX-License-Identifier: Apache-2.0
// Matches the cells of two results. The results must outlive the matches; any thread.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/result.h"

namespace feedrate {

struct CellPair {
  const CellResult* a;
  const CellResult* b;
};

struct MatchedCells {
  std::vector<CellPair> pairs;  ///< in A's order
  std::vector<const CellResult*> unmatched_a;
  std::vector<const CellResult*> unmatched_b;
  std::vector<const CellResult*> ambiguous;  ///< of A: several cells have these settings
};

/// Matches cells by equal texts of the settings `names`.
[[nodiscard]] MatchedCells match_cells(const RunResult& a, const RunResult& b,
                                       std::span<const std::string> names);

/// Whether the setting has a value in any cell, or its knob has the empty value as one ("as it
/// is").
[[nodiscard]] bool has_meaning(const RunResult& run, const std::string& name);

/// Settings that both results have, in A's order, without those that have a meaning in one of them
/// only, as hdf5_reads, which PyTorch lacks.
[[nodiscard]] std::vector<std::string> common_settings(const RunResult& a, const RunResult& b);

struct Difference {
  std::string name;
  std::string a;
  std::string b;
};

/// Settings with one value in A and another one in B.
[[nodiscard]] std::vector<Difference> differing_constants(const RunResult& a, const RunResult& b);

/// "failed (broken.png: cannot be decoded)".
[[nodiscard]] std::string outcome_text(const CellResult& cell);

}  // namespace feedrate
