// SPDX-License-Identifier: Apache-2.0
// The device work of a training step in place of a model: keeping the device busy for a known time,
// or multiplying matrices as large as a model's. One thread.
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
  /// Prepares launch() for N samples, so that preparation is not timed. May be called repeatedly.
  /// Throws DeviceError if the device cannot do this work.
  virtual void prepare(std::size_t samples) = 0;
  /// Queues the step's kernels for a batch of N samples, preparing first if needed.
  virtual void launch(DeviceStream& stream, std::size_t samples) = 0;
  /// Floating point operations of a launched step of N samples; 0 if unknown.
  [[nodiscard]] virtual double flops(std::size_t /*samples*/) const { return 0; }
};

/// A step of duration t(b) = reference * b / reference_batch.
[[nodiscard]] std::unique_ptr<StepWork> make_burn_work(Nanos reference,
                                                       std::size_t reference_batch);

/// The same with one duration per step, repeated cyclically.
/// REQUIRES: !references.empty()
[[nodiscard]] std::unique_ptr<StepWork> make_trace_work(std::vector<Nanos> references,
                                                        std::size_t reference_batch);

/// The computation of a step: products for `reference_batch` samples, and passes over memory,
/// replaced by copies within device memory that take the same time.
struct ModelStep {
  std::vector<StepGemm> gemms;
  std::size_t reference_batch = 1;
  Precision precision = Precision::kFp32;
  std::vector<StepPass> passes = {};
};

/// `device` must outlive the work, which allocates as much device memory as the largest pass moves.
[[nodiscard]] std::unique_ptr<StepWork> make_gemm_work(Device& device, ModelStep step);

/// Runs `work` in one launch instead of one per kernel: a CUDA graph for each batch size. The work
/// must be the same in each step. `device` must outlive it.
[[nodiscard]] std::unique_ptr<StepWork> make_graph_work(Device& device,
                                                        std::unique_ptr<StepWork> work);

/// Long enough that a GPU reaches the clock that its power limit allows in training.
inline constexpr Nanos kSustained = std::chrono::milliseconds(100);

/// The rate of one large product over `duration`, in floating point operations per second: the peak
/// for comparing a step's rate, and for a calibrated preset. Takes some tenths of a second and 0.8
/// GB of device memory.
[[nodiscard]] double measure_gemm_peak(Device& device, Precision precision,
                                       Nanos duration = kSustained);

}  // namespace feedrate
