#include "tests/fuzz/results.h"

#include <utility>
#include <vector>

#include "report/limits.h"
#include "report/page_data.h"
#include "tests/fuzz/harness.h"

namespace feedrate::fuzz {

void use_results(RunResult run) {
  accepts([&] {
    judge_by_limits(run);
    std::vector<PageRun> runs(2);
    runs[0] = {"a", run, {}};
    runs[1] = {"b", std::move(run), {}};
    touch(page_data(runs));
  });
}

}  // namespace feedrate::fuzz
