// SPDX-License-Identifier: Apache-2.0
// A cell's settings as the replay reads them, and which measurements speak about which cells. Pure
// functions; any thread.
#pragma once
#include "analysis/tuner/replay.h"
#include "core/result.h"
#include "core/setting.h"

namespace feedrate {

/// A setting that has no meaning in the cell, or is not there, is at PyTorch's default.
[[nodiscard]] LoopSettings loop_settings(const Settings& settings);

/// Samples a batch; 1 where the settings do not say.
[[nodiscard]] double batch_size_of(const Settings& settings);

/// As measured: below batch_size where an epoch's last batch is incomplete and not dropped. Steps
/// follow each other without a gap.
[[nodiscard]] double samples_a_step(const CellResult& cell);

/// At least 1.
[[nodiscard]] double ranks_of(const Settings& settings);

/// Whether both make and train the same batches, so that what one costs the other does: they differ
/// in nothing but what the replay knows (num_workers, prefetch_factor, pin_memory, …). A setting
/// that has no meaning in one of them, as format with the cached loader, is no difference.
[[nodiscard]] bool same_work(const Settings& a, const Settings& b);

/// Whether a batch goes to the device in the same way.
[[nodiscard]] bool copies_alike(const LoopSettings& a, const LoopSettings& b);

/// Neither the loader nor the trainer is a mock.
[[nodiscard]] bool is_real(const LoopSettings& settings);

}  // namespace feedrate
