// A calibration as users make it: with nothing beside it, since it refuses costs that others bend.
#include "tests/cli/requires_torch.h"
#include "tests/cli/workspace.h"

namespace feedrate::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Calibration = Workspace;

TEST_F(Calibration, is_of_use_to_the_sweep_it_was_made_for) {
  make_images();
  write("s.yaml", sweep_config("path: ds", "batch_size: 4, num_workers: [0, 1]") +
                      "emulate: p.yaml\n");  // Not there before calibrate makes it.
  // What bends a cost once may not do so again; until then it is refused, and nothing is written.
  constexpr int kTries = 3;
  Finished done;
  for (int i = 0; i < kTries; ++i) {
    done = feedrate("calibrate s.yaml --torch --repeats 1 --out p.yaml");
    REQUIRE_TORCH(has_torch(done));
    if (done.exit_code == 0) break;
    ASSERT_EQ(done.exit_code, 1) << done.err;
    ASSERT_THAT(done.err, HasSubstr("did not settle"));
    ASSERT_FALSE(exists("p.yaml"));
  }
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("worker_start:"), HasSubstr("Written: p.yaml")));
  const Finished sweep = feedrate("sweep s.yaml --out results");
  EXPECT_EQ(sweep.exit_code, 0) << sweep.err;
}

}  // namespace
}  // namespace feedrate::testing
