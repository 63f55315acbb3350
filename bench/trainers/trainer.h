// SPDX-License-Identifier: Apache-2.0
// Consumes batches the way a training loop does.
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
/// after the step (launch, and the wait that sync_every asks for). With device_prefetch the copy is
/// of the batch that was given, and the step is of the batch that many calls before.
struct StepTiming {
  Nanos copied{};
  Nanos trained{};
  Nanos queued{};          ///< before t2: the copy is queued; the rest until t2 is waiting
  Nanos launching{};       ///< after t2: the host's own work is done
  Nanos launched{};        ///< … and the kernels are queued; the rest until t3 is waiting
  bool ran_ahead = false;  ///< the wait until t2 was for an earlier copy: see kRunAhead
};

/// What one step kept the device busy with, on the host clock.
struct DeviceSpans {
  Nanos copy_begin{};
  Nanos copy_end{};
  Nanos compute_begin{};
  Nanos compute_end{};
  double flops = 0;  ///< of the batch's step; 0 where they are not known
};

/// How many copies may be under way before the host waits for the oldest. A framework's step is
/// many kernels, so that the launch queue stops its host a few steps ahead, too.
inline constexpr std::size_t kRunAhead = 4;

/// The device memory that is taken for images of `bytes` where batches differ: more than they need,
/// since getting more waits for the device.
[[nodiscard]] constexpr std::size_t room_for_images(std::size_t bytes) noexcept {
  return bytes + bytes / 4;
}

/// One thread. A batch that step() was given is held no longer than the copy call takes.
class Trainer {
 public:
  virtual ~Trainer() = default;
  virtual StepTiming step(Batch batch) = 0;
  /// Runs the steps that device_prefetch still owes and waits for all, then returns where each lay
  /// on the device, one a batch, in their order since the last call. Empty for a trainer that uses
  /// no device.
  [[nodiscard]] virtual std::vector<DeviceSpans> finish() = 0;
};

/// Discards each batch: what the loader alone can do.
[[nodiscard]] std::unique_ptr<Trainer> make_discard_trainer(const Clock& clock);

enum class CopyStream {
  kSame,  ///< x.to(device): the copy waits for earlier kernels, and kernels for the copy
  kSide,  ///< on a stream of its own, so that it may lie under the previous step's kernels
};

/// Normalising on the device what crossed to it as bytes.
struct DeviceNormalize {
  std::size_t pixels = 0;  ///< of an image
  PixelValues values{};
};

/// Transforming on the device what crossed to it as images of any size (loaders/image_batch.h).
struct DeviceTransform {
  bool decodes = false;  ///< They are JPEG files; the copy is their decoding then.
  ImageOutput output{};
  PixelValues values{};
};

struct DeviceTrainerOptions {
  bool non_blocking = false;
  CopyStream copy_stream = CopyStream::kSame;
  /// The host waits for the device after every N steps, as loss.item() makes it; 0: never.
  std::size_t sync_every = 1;
  /// The host's own work per step, before the kernels are launched: what Python costs.
  Nanos host_overhead{};
  std::size_t batch_bytes = 0;  ///< of the largest batch
  /// A step's work is for as many units of this size as the batch holds, as tokens; 0: for samples.
  std::size_t unit_bytes = 0;
  std::size_t label_bytes =
      0;  ///< of each sample, where they are copied with it: no unit is theirs
  /// How many batches are sent to the device before the step that needs the first of them is
  /// launched, as PyTorch's DataPrefetcher does with one: their copies lie under that step and the
  /// wait for it. More than none means a copy stream of their own.
  std::size_t device_prefetch = 0;
  std::optional<DeviceNormalize> normalize = std::nullopt;
  std::optional<DeviceTransform> transform = std::nullopt;
  /// Nothing is copied but the first batches, one for each place on the device.
  bool resident = false;
};

/// Copies each batch to the device and runs `work` on it. `device` outlives the trainer.
[[nodiscard]] std::unique_ptr<Trainer> make_device_trainer(Device& device,
                                                           const DeviceTrainerOptions& options,
                                                           std::unique_ptr<StepWork> work);

}  // namespace feedrate
