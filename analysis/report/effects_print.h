// SPDX-License-Identifier: Apache-2.0
// Writes the effects of settings (analysis/effects.h) as a table and as JSON. One thread.
#pragma once
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "analysis/effects.h"
#include "core/text_table.h"

namespace feedrate {

/// Prints a table with a row per value, then interactions, largest first; nothing without effects.
/// On a terminal of `width` columns the least important columns are left out; 0: unlimited.
void print_effects(std::ostream& out, std::span<const Effect> effects, TableStyle style,
                   std::size_t width = 0);

/// "+0.4 % to +2.0 %"; "-" if unknown.
[[nodiscard]] std::string interval_text(const RateRatio& gain);

/// "pin_memory=true: +0.3 % (…) with non_blocking=false, +18 % (…) with non_blocking=true", the
/// largest difference first; one text per pair of settings.
[[nodiscard]] std::vector<std::string> dependence_texts(std::span<const Effect> effects);

/// A document of docs/schemas/effects.schema.json. Unknown values are null.
[[nodiscard]] std::string effects_to_json(std::span<const Effect> effects);

}  // namespace feedrate
