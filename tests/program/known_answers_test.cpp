// SPDX-License-Identifier: Apache-2.0
// Expected figures of the PyTorch engine on a quiet machine.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/program/torch_sweep.h"
#include "tests/support/quiet_machine.h"

namespace feedrate::testing {
namespace {

using KnownAnswers = TorchSweep;

// A batch takes 280 ms, steps alternate between 160 and 320 ms: the device computes 240 / 520 of
// the time without workers, 240 / 280 with one, and all of it with two. Other programs only lower
// that, as does PyTorch's time to receive a batch: up to 7 ms on a virtual machine.
TEST_F(KnownAnswers, of_an_own_dataset_against_a_trace) {
  write("mine.py", std::string(kMineModule) +
                       "def slow(samples):\n"
                       "    time.sleep(0.280)\n"
                       "    return torch.utils.data.default_collate(samples)\n");
  std::string text = sweep_config("torch: 'mine:make', collate_fn: 'mine:slow'",
                                  "batch_size: 4, num_workers: [0, 1, 2]");
  const std::string_view burn = "{kind: burn, step_ms: 1}";
  text.replace(text.find(burn), burn.size(), "{kind: trace, steps_ms: [160, 320]}");
  write("s.yaml", text);
  const std::vector<double> known = {240.0 / 520.0, 240.0 / 280.0, 1.0};
  std::vector<double> best(known.size(), 0.0);
  const auto is_near = [&] {
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (best[i] < 0.97 * known[i]) return false;
    }
    return true;
  };
  for (int tries = 0; tries < 8 && !is_near(); ++tries) {
    REQUIRE_QUIET_MACHINE();
    done_ = feedrate("sweep s.yaml --out results --force --steps 10");
    REQUIRE_TORCH_EXIT(done_, 0);
    const RunResult run = results();
    for (std::size_t i = 0; i < known.size(); ++i) {
      const double au = *find_metric(run.cells.at(i).metrics, "au");
      EXPECT_LE(au, known[i] + 0.01) << i << " workers";
      best[i] = std::max(best[i], au);
    }
  }
  EXPECT_TRUE(is_near()) << best[0] << ' ' << best[1] << ' ' << best[2];
}

}  // namespace
}  // namespace feedrate::testing
