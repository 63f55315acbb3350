// SPDX-License-Identifier: Apache-2.0
// Consumes batches as a training loop does.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "bench/trainers/step_work.h"
#include "core/units.h"
#include "device/device.h"
#include "loaders/batch.h"

namespace feedrate {

/// Marks on the device's host clock, as in measurement.md: t2 after the copy call(s) returned, t3
/// after the step (launch, and the wait that sync_every asks for). With device_prefetch, the copy
/// is of the given batch, and the step of the batch `device_prefetch` calls before.
struct StepTiming {
  Nanos copied{};
  Nanos trained{};
  Nanos queued{};          ///< the copy is queued; from here to t2 the host waits
  Nanos launching{};       ///< after t2: the host overhead is over
  Nanos launched{};        ///< the kernels are queued; from here to t3 the host waits
  bool ran_ahead = false;  ///< the wait until t2 was for an earlier copy: see kRunAhead
};

/// The device's busy times of one step, on the host clock.
struct DeviceSpans {
  Nanos copy_begin{};
  Nanos copy_end{};
  Nanos compute_begin{};
  Nanos compute_end{};
  double flops = 0;  ///< floating point operations of the step; 0 if unknown
};

/// The number of pending copies before the host waits for the oldest. A framework's step is many
/// kernels, so its launch queue also stops the host a few steps ahead.
inline constexpr std::size_t kRunAhead = 4;

/// The device memory allocated for images of `bytes` when batches differ: more than needed, since
/// growing waits for the device.
[[nodiscard]] constexpr std::size_t capacity_for_images(std::size_t bytes) noexcept {
  return bytes + bytes / 4;
}

/// One thread. A batch passed to step() is held no longer than the copy call takes.
class Trainer {
 public:
  virtual ~Trainer() = default;
  virtual StepTiming step(Batch batch) = 0;
  /// Runs the steps that device_prefetch has deferred and waits for all. Returns the times of each
  /// batch since the last call, in order. Empty for a trainer that uses no device.
  [[nodiscard]] virtual std::vector<DeviceSpans> finish() = 0;
};

/// Discards each batch, to measure the loader alone.
[[nodiscard]] std::unique_ptr<Trainer> make_discard_trainer(const Clock& clock);

enum class CopyStream {
  kSame,  ///< x.to(device): the copy waits for earlier kernels, and kernels for the copy
  kSide,  ///< on its own stream, so that it can overlap the previous step's kernels
};

/// Normalization on the device of images copied as bytes.
struct DeviceNormalize {
  std::size_t pixels = 0;  ///< per image
  PixelValues values{};
};

/// Transforms on the device of images of any size (loaders/image_batch.h).
struct DeviceTransform {
  bool decodes = false;  ///< The images are JPEG files, and the copy includes decoding them.
  ImageOutput output{};
  PixelValues values{};
};

struct DeviceTrainerOptions {
  bool non_blocking = false;
  CopyStream copy_stream = CopyStream::kSame;
  /// The host waits for the device after every N steps, as loss.item() does; 0: never.
  std::size_t sync_every = 1;
  /// Host time per step before the kernels are launched, as Python takes.
  Nanos host_overhead{};
  std::size_t batch_bytes = 0;  ///< size of the largest batch
  /// The unit of a step's work, such as a token: a step works on as many units as the batch holds;
  /// 0: samples.
  std::size_t unit_bytes = 0;
  std::size_t label_bytes = 0;  ///< labels copied with each sample, which contain no units
  /// The number of batches copied to the device before the step of the first of them is launched,
  /// as PyTorch's DataPrefetcher does with one: their copies overlap that step and the wait for it.
  /// Values above 0 use a copy stream of their own.
  std::size_t device_prefetch = 0;
  std::optional<DeviceNormalize> normalize = std::nullopt;
  std::optional<DeviceTransform> transform = std::nullopt;
  /// Copies only the first batches, one per slot on the device.
  bool resident = false;
};

/// Copies each batch to the device and runs `work` on it. `device` must outlive the trainer.
[[nodiscard]] std::unique_ptr<Trainer> make_device_trainer(Device& device,
                                                           const DeviceTrainerOptions& options,
                                                           std::unique_ptr<StepWork> work);

}  // namespace feedrate
