// SPDX-License-Identifier: Apache-2.0
// A cost profile as named by `emulate:` in a sweep.
#include "bench/plan/cost_profile.h"

#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {

bool cost_profile(Bytes input) {
  return accepts([&] {
    const CostProfile profile = parse_cost_profile(std::string(text_of(input)), "fuzz.yaml");
    if (profile.costs.worker_sample < Nanos(0)) finding("a sample of negative time");
    constexpr std::size_t kBatch = 1U << 30;
    if (profile.costs.receive.of(kBatch) < Nanos(0)) finding("a batch of negative time");
    touch(to_yaml(profile));
  });
}

}  // namespace feedrate::fuzz
