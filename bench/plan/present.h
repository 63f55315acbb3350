// SPDX-License-Identifier: Apache-2.0
// The settings in use today: the baseline of a recommendation.
#pragma once
#include <string>
#include <vector>

#include "bench/plan/cell_settings.h"
#include "bench/plan/config.h"
#include "core/setting.h"

namespace feedrate {

/// Parses "num_workers=4,pin_memory=true": one value per knob. Throws ConfigError.
[[nodiscard]] std::vector<Setting> parse_present(const std::string& text);

/// PyTorch's defaults of DataLoader(…) and .to(…), overridden by `named`; other settings, such as
/// format and batch_size, are those of `like`. Canonicalized.
[[nodiscard]] CellSettings present_settings(CellSettings like, const std::vector<Setting>& named);

}  // namespace feedrate
