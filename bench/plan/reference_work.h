// SPDX-License-Identifier: Apache-2.0
// What settings share with those of a mock cell, which measures what they could reach. Pure
// functions; any thread.
#pragma once
#include <string>

#include "bench/plan/cell_settings.h"
#include "core/setting.h"

namespace feedrate {

/// `loader` is "cached" or "resident": one batch again and again.
[[nodiscard]] bool has_mock_loader(const Settings& settings);

/// Cells whose trainers have the same work share these words, and so the trainer's limit. How the
/// copy is done is no part of it: a better copy is something to win.
[[nodiscard]] std::string trainer_work(const Settings& settings);
[[nodiscard]] std::string trainer_work(const CellSettings& settings);

/// Cells whose loaders make the same batches share these words, and so the loader's limit. The
/// number of workers and how batches travel are no part of it.
[[nodiscard]] std::string loading_work(const Settings& settings);
[[nodiscard]] std::string loading_work(const CellSettings& settings);

}  // namespace feedrate
