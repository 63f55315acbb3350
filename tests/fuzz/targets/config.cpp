// SPDX-License-Identifier: Apache-2.0
// A sweep's YAML and all cells of its plan.
#include "bench/plan/config.h"

#include "bench/plan/cell_spec.h"
#include "bench/plan/plan.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {
namespace {

/// More cells only take longer.
constexpr std::size_t kMaxCells = 500;

bool is_small(const SweepConfig& sweep) {
  std::size_t cells = 1;
  for (const Axis& axis : sweep.axes) {
    cells *= axis.values.size();
    if (cells > kMaxCells) return false;
  }
  return true;
}

void plan(const SweepConfig& sweep) {
  for (const Cell& cell : make_plan(sweep, {.only = {}, .usable_cpus = 8})) {
    if (!cell.skip_reason.empty()) continue;
    accepts([&] { static_cast<void>(make_cell_spec(cell.settings, sweep.measure.seed)); });
  }
}

}  // namespace

bool config(Bytes input) {
  bool is_taken = false;
  accepts([&] {
    const SweepConfig sweep = parse_config(std::string(text_of(input)), "fuzz.yaml");
    is_taken = true;
    if (is_small(sweep)) plan(sweep);
  });
  return is_taken;
}

}  // namespace feedrate::fuzz
