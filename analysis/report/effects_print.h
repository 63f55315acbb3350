// SPDX-License-Identifier: Apache-2.0
// The effect of each setting (analysis/effects.h), as a table for a person and as JSON. One thread.
#pragma once
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "analysis/effects.h"
#include "core/text_table.h"

namespace feedrate {

/// A table with a row for each value, then what depends on another setting, largest first; nothing
/// where there is no effect. On a terminal of `width` columns the least important columns are left
/// out; 0: all are shown.
void print_effects(std::ostream& out, std::span<const Effect> effects, TableStyle style,
                   std::size_t width = 0);

/// "+0.4 % to +2.0 %"; "-" where nothing tells it.
[[nodiscard]] std::string interval_text(const RateRatio& gain);

/// "pin_memory=true: +0.3 % (…) with non_blocking=false, +18 % (…) with non_blocking=true", the
/// largest difference first; of two settings that depend on each other one text.
[[nodiscard]] std::vector<std::string> dependence_texts(std::span<const Effect> effects);

/// A document of docs/schemas/effects.schema.json. What is not known is null.
[[nodiscard]] std::string effects_to_json(std::span<const Effect> effects);

}  // namespace feedrate
