// SPDX-License-Identifier: Apache-2.0
// Runs each cell with the engine that it names.
#pragma once
#include <memory>

#include "bench/engines/engine.h"

namespace feedrate {

/// `torch` may be null if no cell names it.
[[nodiscard]] std::unique_ptr<CellEngine> make_engine_choice(std::unique_ptr<CellEngine> native,
                                                             std::unique_ptr<CellEngine> torch);

}  // namespace feedrate
