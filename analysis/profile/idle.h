// SPDX-License-Identifier: Apache-2.0
// What each GPU did during the steps, and what the host did while a GPU had nothing to do. Exact
// unions of intervals, so the parts sum up. Pure functions; any thread.
//
// The host's state is that of the training loop: of its thread, and of the other threads of its
// process that run operators, since PyTorch runs the backward pass on one of its own. A moment goes
// to the first of: waiting in next(), in a runtime call, in an operator or a range, none of these
// (Python, or a thread that the profiler does not see). The loop's thread is Timeline::main_lane;
// if nothing is recorded there, the one that waited longest for a loader; if none did, all.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/profile/steps.h"
#include "analysis/profile/timeline.h"

namespace feedrate {

struct IdleTime {
  Nanos loader{};
  Nanos runtime{};
  Nanos operators{};
  Nanos other{};

  [[nodiscard]] Nanos total() const noexcept { return loader + runtime + operators + other; }
};

/// All within the union of the steps, and each a length of a union.
struct DeviceTimes {
  std::int32_t device = 0;
  Nanos steps{};
  Nanos kernels{};
  Nanos copies{};
  Nanos overlap{};  ///< copies under a kernel
  IdleTime idle;    ///< no kernel, copy or memset running, by what the host did
  /// Of `idle`, the gaps that began while the host waited for the GPU, as in .item(): the host asks
  /// for more only when nothing is left. Waits for copies to the GPU are none of these.
  IdleTime after_waits;
  std::size_t waits = 0;  ///< of the host for a GPU, that began within the steps
  /// Of `idle`, but for `after_waits`: the host in calls that launch or prepare a launch, and in
  /// operators. Copies, waits, and calls of more than a millisecond are no launches of a loop that
  /// has warmed up: these allocate, load modules, or initialize.
  Nanos idle_in_launches{};
  Nanos idle_in_operators{};

  /// But for what the loader is to blame for.
  [[nodiscard]] Nanos idle_after_waits() const noexcept {
    return after_waits.total() - after_waits.loader;
  }
  /// Of the steps, with a kernel running.
  [[nodiscard]] double gpu_busy() const { return to_seconds(kernels) / to_seconds(steps); }
  /// Of the copies, under a kernel; empty without copies.
  [[nodiscard]] std::optional<double> copy_overlap() const {
    if (copies == Nanos(0)) return std::nullopt;
    return to_seconds(overlap) / to_seconds(copies);
  }
  /// Copies that cost time of their own.
  [[nodiscard]] Nanos exposed_copy() const noexcept { return copies - overlap; }
};

/// Of each GPU that did anything in the timeline, by its number; none where the steps have no
/// length. `steps` as adjusted_steps() gives them.
[[nodiscard]] std::vector<DeviceTimes> device_times(const Timeline& timeline,
                                                    const std::vector<StepSpan>& steps);

}  // namespace feedrate
