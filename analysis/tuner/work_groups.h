// SPDX-License-Identifier: Apache-2.0
// Groups candidates that make and train the same batches, and selects the probes that show their
// costs. Pure; any thread.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "analysis/tuner/candidate.h"
#include "core/result.h"

namespace feedrate {

/// Indices of candidates by group. Those with workers come first: without workers, settings without
/// a meaning fit several groups.
[[nodiscard]] std::vector<std::vector<std::size_t>> work_groups(
    std::span<const Candidate> candidates);

/// Cells grouped in the same way.
[[nodiscard]] std::vector<std::vector<const CellResult*>> work_groups(
    std::span<const CellResult* const> cells);

/// The probes of all groups: the mock trainer without workers, with one, and with the largest
/// candidate number up to twice the cores; the mock loader with each way of copying; and a real
/// candidate with workers, for pin_memory on and off, since mocks do not show receiving and
/// pinning. Mock trainers with one worker come last: if time runs out, real cells show more.
/// `canonicalize` empties settings without a meaning with a mock. REQUIRES: cores > 0
[[nodiscard]] std::vector<Settings> probes_for(std::span<const Candidate> candidates, double cores,
                                               const std::function<void(Settings&)>& canonicalize);

}  // namespace feedrate
