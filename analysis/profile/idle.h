// SPDX-License-Identifier: Apache-2.0
// Work and idle time of each GPU during the steps, and the host's state while a GPU was idle. The
// parts are exact unions of intervals and sum up. Pure functions; any thread.
//
// The host's state is that of the training loop: of its thread, and of other threads of its process
// that run operators, since PyTorch runs the backward pass on its own thread. Each moment goes to
// the first of: in next(), in a runtime call, in an operator or a range, none of these (Python, or
// a thread without events). The loop's thread is Timeline::main_lane; without events there, the
// thread that waited longest for a loader; without such a wait, all threads.
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

/// All times are lengths of unions within the steps.
struct DeviceTimes {
  std::int32_t device = 0;
  Nanos steps{};
  Nanos kernels{};
  Nanos copies{};
  Nanos overlap{};  ///< copies while a kernel runs
  IdleTime idle;    ///< no kernel, copy or memset runs; by the host's state
  /// Part of `idle`: gaps that began while the host waited for the GPU, as in .item(), so that it
  /// launches more only when the GPU is idle. Waits for copies to the GPU do not count.
  IdleTime after_waits;
  std::size_t waits = 0;  ///< the host's waits for a GPU that began during the steps
  /// Parts of `idle` without `after_waits`: the host in calls that launch or prepare a launch, and
  /// in operators. Copies, waits and calls longer than a millisecond are not launches of a
  /// warmed-up loop: they allocate, load modules, or initialize.
  Nanos idle_in_launches{};
  Nanos idle_in_operators{};

  /// Excludes waits for the loader.
  [[nodiscard]] Nanos idle_after_waits() const noexcept {
    return after_waits.total() - after_waits.loader;
  }
  /// Share of the steps with a kernel running.
  [[nodiscard]] double gpu_busy() const { return to_seconds(kernels) / to_seconds(steps); }
  /// Share of the copies while a kernel runs; empty without copies.
  [[nodiscard]] std::optional<double> copy_overlap() const {
    if (copies == Nanos(0)) return std::nullopt;
    return to_seconds(overlap) / to_seconds(copies);
  }
  /// Copies without a kernel running.
  [[nodiscard]] Nanos exposed_copy() const noexcept { return copies - overlap; }
};

/// One entry per GPU that has work in the timeline, by its number; none if the steps have no
/// length. `steps` are those of adjusted_steps().
[[nodiscard]] std::vector<DeviceTimes> device_times(const Timeline& timeline,
                                                    const std::vector<StepSpan>& steps);

}  // namespace feedrate
