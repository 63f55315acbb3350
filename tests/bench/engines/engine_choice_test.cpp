// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/engines/engine.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;

using EngineLog = std::vector<std::string>;

class LoggingEngine final : public CellEngine {
 public:
  LoggingEngine(std::string name, EngineLog& log) : name_(std::move(name)), log_(log) {}
  Repeat run(const CellSpec& cell, const std::stop_token& /*stop*/) override {
    log_.push_back(name_ + " runs on " + cell.device);
    return {};
  }
  void release(const std::string& device) override {
    log_.push_back(name_ + " lets go of " + device);
  }

 private:
  std::string name_;
  EngineLog& log_;
};

TEST(EngineChoice, the_native_engine_releases_a_device_before_a_child_opens_it) {
  EngineLog log;
  const auto engine = make_engine_choice(std::make_unique<LoggingEngine>("native", log),
                                         std::make_unique<LoggingEngine>("torch", log));
  CellSpec cell;
  cell.device = "cuda:1";
  for (const EngineKind kind : {EngineKind::kNative, EngineKind::kTorch, EngineKind::kNative}) {
    cell.engine = kind;
    static_cast<void>(engine->run(cell, {}));
  }
  EXPECT_THAT(log, ElementsAre("native runs on cuda:1", "native lets go of cuda:1",
                               "torch runs on cuda:1", "native runs on cuda:1"));
}

}  // namespace
}  // namespace feedrate
