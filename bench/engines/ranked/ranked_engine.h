// SPDX-License-Identifier: Apache-2.0
// Measures cells of several ranks by a RankLauncher, all others by another engine.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "bench/engines/engine.h"
#include "bench/engines/ranked/rank_launcher.h"

namespace feedrate {

struct RankedEngineOptions {
  RankRequest request;  ///< without the cell's settings
  std::function<void(const std::string&)> on_damaged = {};
  std::function<void(const std::string&)> on_warning = {};
};

/// Its run() throws Error that names the failed rank.
[[nodiscard]] std::unique_ptr<CellEngine> make_ranked_engine(std::unique_ptr<CellEngine> single,
                                                             std::shared_ptr<RankLauncher> launcher,
                                                             RankedEngineOptions options);

}  // namespace feedrate
