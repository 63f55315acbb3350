// Has cells of several ranks measured by a crew, all others by another engine.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "engines/engine.h"
#include "engines/ranked/crew.h"

namespace feedrate {

struct RankedEngineOptions {
  RankOrder order;  ///< all but the cell's settings
  std::function<void(const std::string&)> on_damaged = {};
  std::function<void(const std::string&)> on_doubt = {};
};

/// Its run() throws Error naming the rank that could not go on.
[[nodiscard]] std::unique_ptr<CellEngine> make_ranked_engine(std::unique_ptr<CellEngine> single,
                                                             std::shared_ptr<RankCrew> crew,
                                                             RankedEngineOptions options);

}  // namespace feedrate
