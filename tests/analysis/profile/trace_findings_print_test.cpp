// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/trace_findings_print.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

ExecutionSummary steps_of_100_ms(std::size_t count) {
  ExecutionSummary execution;
  execution.step_seconds = 0.1;
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = static_cast<std::int64_t>(i);
    StepCosts costs;
    costs.step = {number, {number * 100ms, (number + 1) * 100ms}};
    costs.by_role[static_cast<std::size_t>(Role::kKernel)] = 60ms;
    costs.by_role[static_cast<std::size_t>(kOtherRole)] = 40ms;
    execution.steps.push_back(costs);
  }
  execution.mean_seconds[static_cast<std::size_t>(Role::kKernel)] = 0.06;
  return execution;
}

LoaderStalls with_steps(std::size_t count) {
  LoaderStalls loader;
  loader.steps.assign(count, {30ms, 12500us});
  loader.waits.assign(count, {{0ms, 30ms}, 12500us});
  loader.median = 30ms;
  return loader;
}

template <class... Arguments>
std::string printed(void (*print)(std::ostream&, const Arguments&...),
                    const Arguments&... arguments) {
  std::ostringstream out;
  print(out, arguments...);
  return out.str();
}

TEST(PrintSteps, prints_a_line_for_each_step_without_roles_that_no_step_has) {
  EXPECT_EQ(printed(print_steps, steps_of_100_ms(2), with_steps(2)),
            "Steps (ms)\n"
            "Step    Total  Kernel  DataLoader   Other  next() raw  next() exposed\n"
            "   0  100.000  60.000       0.000  40.000      30.000          12.500\n"
            "   1  100.000  60.000       0.000  40.000      30.000          12.500\n");
}

TEST(PrintSteps, prints_the_first_and_the_last_of_many) {
  const std::string text = printed(print_steps, steps_of_100_ms(1000), with_steps(1000));
  EXPECT_THAT(text, AllOf(HasSubstr("\n  24  "), HasSubstr("\n ...  "), HasSubstr("\n 975  "),
                          HasSubstr("\n 999  ")));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("\n  25  ")), Not(HasSubstr("\n 974  "))));
}

TEST(PrintLoader, prints_its_raw_and_exposed_time) {
  EXPECT_EQ(printed(print_loader, steps_of_100_ms(2), with_steps(2)),
            "Loader\n* 2 calls of next(), median 30.000 ms: 60.000 ms in total, 30.00 % of the "
            "steps; 25.000 ms of it with the GPU idle, 12.50 % of the steps.\n");
}

TEST(PrintLoader, names_patterns_outliers_and_pinning) {
  LoaderStalls loader = with_steps(2);
  loader.periodic = PeriodicStall{4, 92ms, 1ms};
  loader.waits[1].is_outlier = true;
  loader.waits[1].span.end = 700ms;
  loader.pinned_late = {3, 15ms};
  const std::string text = printed(print_loader, steps_of_100_ms(2), loader);
  EXPECT_THAT(text,
              AllOf(HasSubstr("One call in every 4 waits: 92.000 ms, the others 1.000 ms"),
                    HasSubstr("num_workers 4"), HasSubstr("1 of 2 calls"), HasSubstr("700.000 ms"),
                    HasSubstr("page-locked 3 times"), HasSubstr("15.000 ms")));
}

TEST(PrintLoader, reports_that_there_is_none) {
  EXPECT_THAT(printed(print_loader, ExecutionSummary(), LoaderStalls()),
              HasSubstr("The trace has no DataLoader call"));
}

TEST(PrintCopies, prints_kind_rate_overlap_and_wait) {
  const CopyFinding pageable{MemoryKind::kPageable, 2, 20'000'000, 10'000'000, 10ms, 1ms, 2, 11ms};
  const CopyFinding pinned{MemoryKind::kPinned, 1, 20'000'000, 20'000'000, 1ms, 1ms, 0, 0ms};
  EXPECT_EQ(printed(print_copies, std::vector<CopyFinding>{pageable, pinned}),
            "Copies to the GPU\n"
            "* 2 copies from pageable memory: 20.0 MB in 10.000 ms, 2.00 GB/s, 10.0 % overlapped "
            "by kernels; the largest 10.000 MB.\n"
            "  The host waited for 2 of them, 11.000 ms in total: non_blocking was not set.\n"
            "  With pin_memory=True in the DataLoader they run at the rate of the link and overlap "
            "with kernels.\n"
            "* 1 copy from pinned memory: 20.0 MB in 1.000 ms, 20.00 GB/s, 100.0 % overlapped by "
            "kernels; the largest 20.000 MB.\n"
            "  The host did not wait for them: non_blocking was set.\n");
  EXPECT_THAT(printed(print_copies, std::vector<CopyFinding>{}), HasSubstr("None"));
}

}  // namespace
}  // namespace feedrate
