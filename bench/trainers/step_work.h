// SPDX-License-Identifier: Apache-2.0
// What a training step does on the device, instead of a model: keeping it busy for a known time, or
// multiplying matrices as large as a model's. One thread.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "bench/trainers/step_gemms.h"
#include "bench/trainers/step_passes.h"
#include "core/units.h"
#include "device/device.h"

namespace feedrate {

class StepWork {
 public:
  virtual ~StepWork() = default;
  /// Makes ready what launch() needs for N samples: nothing of it is timed then. Any number
  /// of times. Throws DeviceError if the device cannot do this work.
  virtual void prepare(std::size_t samples) = 0;
  /// Enqueues the step's kernels for a batch of N samples, preparing first if needed.
  virtual void launch(DeviceStream& stream, std::size_t samples) = 0;
  /// Floating point operations of such a step, which was launched; 0 where they are not known.
  [[nodiscard]] virtual double flops(std::size_t /*samples*/) const { return 0; }
};

/// A step of duration t(b) = reference * b / reference_batch, which streams through the device's
/// memory for the share `memory_intensity` of it, 0 to 1.
[[nodiscard]] std::unique_ptr<StepWork> make_burn_work(Nanos reference, std::size_t reference_batch,
                                                       double memory_intensity = 0.0);

/// The same with a duration of its own for each step, from the first again after the last.
/// REQUIRES: !references.empty()
[[nodiscard]] std::unique_ptr<StepWork> make_trace_work(std::vector<Nanos> references,
                                                        std::size_t reference_batch);

/// What a step computes: products for `reference_batch` samples, and passes over memory, which are
/// copies within the device's memory of as many bytes as such kernels would move in the same time.
struct ModelStep {
  std::vector<StepGemm> gemms;
  std::size_t reference_batch = 1;
  Precision precision = Precision::kFp32;
  std::vector<StepPass> passes = {};
};

/// `device` outlives the work, which takes as much of its memory as the largest passes move.
[[nodiscard]] std::unique_ptr<StepWork> make_gemm_work(Device& device, ModelStep step);

/// `work` in one launch instead of one a kernel: a CUDA graph for each size of batch. The work must
/// be the same in each step. `device` outlives it.
[[nodiscard]] std::unique_ptr<StepWork> make_graph_work(Device& device,
                                                        std::unique_ptr<StepWork> work);

/// So long that a GPU is at the clock which its power limit leaves it, as in training.
inline constexpr Nanos kSustained = std::chrono::milliseconds(100);

/// What the device sustains for so long with one large product, in floating point operations a
/// second: the peak to hold a step's rate against, and that of a calibrated preset. Takes some
/// tenths of a second, and 0.8 GB of the device.
[[nodiscard]] double measure_gemm_peak(Device& device, Precision precision,
                                       Nanos duration = kSustained);

}  // namespace feedrate
