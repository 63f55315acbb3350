// SPDX-License-Identifier: Apache-2.0
// The settings that a cell shares with the mock cells that measure its limits. Pure functions; any
// thread.
#pragma once
#include <string>

#include "bench/plan/cell_settings.h"
#include "core/setting.h"

namespace feedrate {

/// Whether `loader` is "cached" or "resident", which repeat one batch.
[[nodiscard]] bool has_mock_loader(const Settings& settings);

/// Describes the trainer's work: cells with equal text share the trainer's limit. The copy is not
/// part of it: a better copy is a possible gain.
[[nodiscard]] std::string trainer_work(const Settings& settings);
[[nodiscard]] std::string trainer_work(const CellSettings& settings);

/// Describes the loader's work: cells with equal text load the same batches and share the loader's
/// limit. The number of workers and the transport are not part of it.
[[nodiscard]] std::string loading_work(const Settings& settings);
[[nodiscard]] std::string loading_work(const CellSettings& settings);

}  // namespace feedrate
