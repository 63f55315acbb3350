// SPDX-License-Identifier: Apache-2.0
// Predicts the peak memory of a cell before it runs. Plain values and pure functions; any thread.
//
// The model is an upper bound of what the loader's protocol allows: all batches that may be
// outstanding exist at the same time. It excludes the dataset's own memory, the device's context
// and the libraries' workspaces.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/plan/cell_spec.h"

namespace feedrate {

/// Host memory of processes without batches, in bytes.
struct ProcessSizes {
  std::uint64_t parent = 0;  ///< the trainer's process
  std::uint64_t worker = 0;  ///< added by each worker process
  std::size_t open_files = 0;
};

struct MemoryNeed {
  std::uint64_t host = 0;    ///< PSS of the process tree, including all below but `device`
  std::uint64_t shm = 0;     ///< in /dev/shm
  std::uint64_t pinned = 0;  ///< page-locked, in blocks of powers of two as PyTorch's allocator
  std::uint64_t device = 0;
  std::size_t descriptors = 0;  ///< of the process that opens most, the trainer's
};

/// Bytes of a sample as it is copied to the device; the pipeline makes `sample_bytes`.
[[nodiscard]] std::size_t wire_bytes(const CellSpec& cell, std::size_t sample_bytes);

/// `sample_bytes` is as in wire_bytes(). Each sample has a label of 8 bytes in a separate tensor.
[[nodiscard]] MemoryNeed predict_memory(const CellSpec& cell, std::size_t sample_bytes,
                                        const ProcessSizes& processes);

/// The available resources; empty if unknown or unlimited.
struct AvailableMemory {
  std::optional<std::uint64_t> host;  ///< for the whole process tree
  std::optional<std::uint64_t> shm;
  std::optional<std::size_t> descriptors;
};

/// Empty if it fits; else what is too large, both figures, and the fix.
[[nodiscard]] std::string why_exceeds(const MemoryNeed& need, const AvailableMemory& available);

}  // namespace feedrate
