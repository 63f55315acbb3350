// SPDX-License-Identifier: Apache-2.0
// Converts a cell's settings for the replay, and decides which measurements apply to which cells.
// Pure functions; any thread.
#pragma once
#include "analysis/tuner/replay.h"
#include "core/result.h"
#include "core/setting.h"

namespace feedrate {

/// A setting that is missing or has no meaning is at PyTorch's default.
[[nodiscard]] LoopSettings loop_settings(const Settings& settings);

/// Samples per batch; 1 if unknown.
[[nodiscard]] double batch_size_of(const Settings& settings);

/// The measured samples per step of a rank: below batch_size if an epoch's incomplete last batch is
/// kept.
[[nodiscard]] double samples_a_step(const CellResult& cell);

/// At least 1, also if unset.
[[nodiscard]] double ranks_of(const Settings& settings);

/// Whether both make and train the same batches at the same cost: they differ only in settings of
/// the replay (num_workers, prefetch_factor, pin_memory, …). A setting that has no meaning in one
/// of them, as format with the cached loader, is no difference.
[[nodiscard]] bool same_work(const Settings& a, const Settings& b);

/// Whether a batch is copied to the device in the same way.
[[nodiscard]] bool copies_alike(const LoopSettings& a, const LoopSettings& b);

/// Neither the loader nor the trainer is a mock.
[[nodiscard]] bool is_real(const LoopSettings& settings);

}  // namespace feedrate
