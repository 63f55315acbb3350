// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/memory_model.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "core/format.h"

namespace feedrate {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLabelBytes = 8;

std::uint64_t whole_pages(std::uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

struct BatchBytes {
  std::uint64_t samples = 0;
  std::uint64_t labels = 0;

  [[nodiscard]] std::uint64_t plain() const { return samples + labels; }
  [[nodiscard]] std::uint64_t in_segments() const {
    return whole_pages(samples) + whole_pages(labels);
  }
};

bool has_processes(const CellSpec& cell) { return cell.loader.num_workers > 0; }

bool pins(const CellSpec& cell) { return cell.loader.memory == HostMemory::kPinned; }

std::uint64_t copies_under_way(const CellSpec& cell) {
  if (!cell.transfer.non_blocking) return 0;
  return cell.transfer.sync_every == 0 ? kRunAhead : std::min(kRunAhead, cell.transfer.sync_every);
}

// Batches that the training loop refers to: the current one, and those being copied. In Python the
// previous batch lives until its name is bound to the next one, when workers already replace it.
std::uint64_t held_batches(const CellSpec& cell) {
  const std::uint64_t in_hands = cell.engine == EngineKind::kTorch ? 2 : 1;
  return in_hands + copies_under_way(cell);
}

// Blocks are cached by power of two: if batches differ in size, there may be as many of each
// smaller power, together less than one more block.
std::uint64_t pinned_samples(const CellSpec& cell, const BatchBytes& batch) {
  const std::uint64_t block = std::bit_ceil(batch.samples);
  return cell.padding == Padding::kLongest ? 2 * block : block;
}

// PyTorch pins the labels, too; the native engine keeps them outside the batch.
std::uint64_t pinned_bytes(const CellSpec& cell, const BatchBytes& batch) {
  const std::uint64_t block = pinned_samples(cell, batch) +
                              (cell.engine == EngineKind::kTorch ? std::bit_ceil(batch.labels) : 0);
  return (cell.loader.max_outstanding() + held_batches(cell)) * block;
}

std::uint64_t loading_batches(const CellSpec& cell) {
  const std::uint64_t outstanding = cell.loader.max_outstanding();
  if (!pins(cell)) return outstanding + held_batches(cell);
  return std::max<std::uint64_t>(1, outstanding);
}

std::uint64_t device_bytes(const CellSpec& cell, const BatchBytes& batch) {
  if (!cell.trains()) return 0;
  // one batch in use, one being copied, and those sent ahead
  const std::uint64_t batches = cell.transfer.device_prefetch + 2;
  if (cell.on_device == OnDevice::kNothing) {
    return (batches + (cell.normalize_on_gpu ? sizeof(float) : 0)) * batch.samples;
  }
  // pixels take about as much as the result (wire_bytes()); files are decoded there
  const std::uint64_t images = capacity_for_images(batch.samples);
  const bool decodes = cell.on_device == OnDevice::kDecodingAndTransforms;
  return batches * (decodes ? images : batch.samples) + images;
}

MemoryNeed predict_cached(const CellSpec& cell, const BatchBytes& batch,
                          const ProcessSizes& processes) {
  MemoryNeed need;
  need.pinned = pins(cell) ? batch.samples : 0;
  need.device = device_bytes(cell, batch);
  need.host = processes.parent + batch.plain();
  need.descriptors = processes.open_files;
  return need;
}

std::size_t descriptors(const CellSpec& cell, std::size_t open_files) {
  if (!has_processes(cell)) return open_files;
  constexpr std::size_t kTensors = 2;
  const bool sends_descriptors = cell.loader.transport == Transport::kFresh;
  return open_files + cell.loader.num_workers +
         (sends_descriptors ? kTensors * loading_batches(cell) : 0);
}

std::string too_much(const char* what, std::uint64_t need, std::uint64_t available,
                     const char* cure) {
  return fmt::format("{}: needs {}, available {}: {}", what,
                     format_value(static_cast<double>(need), Unit::kBytes),
                     format_value(static_cast<double>(available), Unit::kBytes), cure);
}

}  // namespace

std::size_t wire_bytes(const CellSpec& cell, std::size_t sample_bytes) {
  // The pipeline makes float32 if another type is asked for. Images sent as they are take about as
  // much: ImageNet's mean, 469 × 387 pixels, is 0.9 of 224 × 224 floats.
  if (cell.normalize_on_gpu) return sample_bytes / sizeof(float);
  return cell.wire == SampleDtype::kFloat16 ? sample_bytes / 2 : sample_bytes;
}

MemoryNeed predict_memory(const CellSpec& cell, std::size_t sample_bytes,
                          const ProcessSizes& processes) {
  const BatchBytes batch{cell.loader.batch_size * wire_bytes(cell, sample_bytes),
                         cell.loader.batch_size * kLabelBytes};
  if (cell.cached_loader) return predict_cached(cell, batch, processes);
  const bool in_segments = has_processes(cell);
  const std::uint64_t loading =
      loading_batches(cell) * (in_segments ? batch.in_segments() : batch.plain());
  MemoryNeed need;
  need.shm = in_segments ? loading : 0;
  need.pinned = pins(cell) ? pinned_bytes(cell, batch) : 0;
  need.device = device_bytes(cell, batch);
  need.host = processes.parent + cell.parent_ballast_bytes + loading + need.pinned +
              (in_segments ? cell.loader.num_workers * processes.worker : 0);
  need.descriptors = descriptors(cell, processes.open_files);
  return need;
}

std::string why_exceeds(const MemoryNeed& need, const AvailableMemory& available) {
  if (available.host && need.host > *available.host) {
    return too_much("memory", need.host, *available.host,
                    "use fewer workers, a smaller prefetch_factor or batch_size");
  }
  if (available.shm && need.shm > *available.shm) {
    return too_much("/dev/shm", need.shm, *available.shm,
                    "enlarge it, or use fewer workers, a smaller prefetch_factor or batch_size");
  }
  if (available.descriptors && need.descriptors > *available.descriptors) {
    return fmt::format(
        "RLIMIT_NOFILE: needs {} open files, the limit is {}: raise it (ulimit -n), use fewer "
        "workers, or transport file_system",
        need.descriptors, *available.descriptors);
  }
  return {};
}

}  // namespace feedrate
