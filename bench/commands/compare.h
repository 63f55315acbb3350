// feedrate compare A B: two results, cell by cell.
#pragma once
#include <filesystem>

#include "bench/console.h"

namespace feedrate {

struct CompareOptions {
  std::filesystem::path a;  ///< a results folder, run.json or cells.csv
  std::filesystem::path b;
  double threshold = 0.05;  ///< the loss of samples/s that counts as a regression
};

/// kExitUsage if the two have no measured cell in common, kExitRegression if a cell of B is slower than the same one of A by more than the threshold.
[[nodiscard]] int run_compare(const CompareOptions& options, Console& console);

}  // namespace feedrate
