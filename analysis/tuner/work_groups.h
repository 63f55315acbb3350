// SPDX-License-Identifier: Apache-2.0
// Candidates that make and train the same batches, and the cells that show what that costs. Pure;
// any thread.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "analysis/tuner/candidate.h"

namespace feedrate {

/// Indices of candidates by group. The first of a group has workers where any has: without them
/// some settings have no meaning, and a cell would fit several groups.
[[nodiscard]] std::vector<std::vector<std::size_t>> work_groups(
    std::span<const Candidate> candidates);

/// The probes of all groups: the mock trainer with no worker, one and the most that are sensible
/// (of the candidates' the largest up to twice the cores); the mock loader with each way of copying
/// that occurs; and a real cell with workers, a candidate itself, for pin_memory on and off, since
/// mocks do not show what it costs to receive and to pin a batch. Each once, the mock trainers with
/// one worker last: where the time runs out, a real cell says more. `canonicalize` empties what has
/// no meaning beside a mock. REQUIRES: cores > 0
[[nodiscard]] std::vector<Settings> probes_for(std::span<const Candidate> candidates, double cores,
                                               const std::function<void(Settings&)>& canonicalize);

}  // namespace feedrate
