// SPDX-License-Identifier: Apache-2.0
// Runs cells.
#pragma once
#include <memory>
#include <stop_token>
#include <string>

#include "bench/plan/cell_spec.h"
#include "core/result.h"

namespace feedrate {

/// One thread at a time uses an engine.
class CellEngine {
 public:
  virtual ~CellEngine() = default;
  /// Measures one start of the loader. Throws FormatError, DeviceError, ConfigError or SystemError
  /// if this cell cannot be measured, Cancelled once `stop` is requested.
  [[nodiscard]] virtual Repeat run(const CellSpec& cell, const std::stop_token& stop) = 0;

  /// Closes `device` if only one process at a time may open it. Called before another process does.
  virtual void release(const std::string& /*device*/) {}
};

/// Runs each cell with the engine that it names; `torch` may be null where no cell names it.
[[nodiscard]] std::unique_ptr<CellEngine> make_engine_choice(std::unique_ptr<CellEngine> native,
                                                             std::unique_ptr<CellEngine> torch);

}  // namespace feedrate
