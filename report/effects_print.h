// SPDX-License-Identifier: Apache-2.0
// The effect of each setting (analysis/effects.h), as a table for a person and as JSON. One thread.
#pragma once
#include <iosfwd>
#include <span>
#include <string>

#include "analysis/effects.h"
#include "core/text_table.h"

namespace feedrate {

/// A table with a row for each value, then what depends on another setting, largest first; nothing
/// where there is no effect. On a terminal of `width` columns the least important columns are left
/// out; 0: all are shown.
void print_effects(std::ostream& out, std::span<const Effect> effects, TableStyle style,
                   std::size_t width = 0);

/// A document of docs/schemas/effects.schema.json. What is not known is null.
[[nodiscard]] std::string effects_to_json(std::span<const Effect> effects);

}  // namespace feedrate
