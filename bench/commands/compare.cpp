#include "bench/commands/compare.h"

#include <fmt/format.h>

#include "report/compare.h"
#include "report/load_run.h"

namespace feedrate {

int run_compare(const CompareOptions& options, Console& console) {
  const Comparison comparison =
      compare_runs(load_run(options.a), load_run(options.b), options.threshold);
  print_comparison(console.out, comparison);
  if (comparison.cells.empty() && comparison.broken.empty()) {
    console.err << fmt::format("feedrate: {} and {} have no measured cell in common\n",
                               options.a.string(), options.b.string());
    return kExitUsage;
  }
  return comparison.has_regression() ? kExitRegression : kExitOk;
}

}  // namespace feedrate
