// SPDX-License-Identifier: Apache-2.0
// The settings in use today, which a recommendation is held against.
#pragma once
#include <string>
#include <vector>

#include "bench/plan/cell_settings.h"
#include "bench/plan/config.h"
#include "core/setting.h"

namespace feedrate {

/// "num_workers=4,pin_memory=true": one value a knob. Throws ConfigError.
[[nodiscard]] std::vector<Setting> parse_present(const std::string& text);

/// PyTorch's defaults of DataLoader(…) and .to(…), with what `named` names; all other settings, as
/// format and batch_size, as in `like`. Canonicalized.
[[nodiscard]] CellSettings present_settings(CellSettings like, const std::vector<Setting>& named);

}  // namespace feedrate
