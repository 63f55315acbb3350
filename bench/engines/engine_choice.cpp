// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "bench/engines/engine.h"

namespace feedrate {
namespace {

class EngineChoice final : public CellEngine {
 public:
  EngineChoice(std::unique_ptr<CellEngine> native, std::unique_ptr<CellEngine> torch)
      : native_(std::move(native)), torch_(std::move(torch)) {}

  Repeat run(const CellSpec& cell, const std::stop_token& stop) override {
    if (cell.engine != EngineKind::kTorch) return native_->run(cell, stop);
    native_->release(cell.device);
    return torch_->run(cell, stop);
  }

 private:
  std::unique_ptr<CellEngine> native_;
  std::unique_ptr<CellEngine> torch_;
};

}  // namespace

std::unique_ptr<CellEngine> make_engine_choice(std::unique_ptr<CellEngine> native,
                                               std::unique_ptr<CellEngine> torch) {
  return std::make_unique<EngineChoice>(std::move(native), std::move(torch));
}

}  // namespace feedrate
