// SPDX-License-Identifier: Apache-2.0
// What the ranks of a sweep tell each other, as texts: the leader's orders, and what each rank
// answers. Pure functions; any thread.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/plan/config.h"
#include "core/result.h"
#include "formats/datasets/sweep_dataset.h"

namespace feedrate {

/// All that a rank needs to know to measure one start of a cell: it decides nothing by itself.
struct RankRequest {
  std::string config_name;
  std::string config_text;  ///< of the sweep
  std::size_t steps = 0;    ///< of MeasureConfig, as the command has changed it
  std::size_t epochs = 0;   ///< as well
  std::uint64_t seed = 0;
  std::map<std::string, SweepDataset> catalog;
  Settings settings;  ///< of the cell

  /// The sweep that it belongs to. Throws ConfigError.
  [[nodiscard]] SweepConfig config() const;
};

/// What became of it in one rank.
struct RankReport {
  std::string error;            ///< why it was not measured; empty if it was
  bool is_consequence = false;  ///< … because another one was not
  RankFigures figures;          ///< all but the metrics, which `repeat` has
  Repeat repeat;                ///< of this rank alone
  std::vector<std::string> damaged;
  std::vector<std::string> warnings;
};

[[nodiscard]] std::string to_text(const RankRequest& order);
[[nodiscard]] std::string to_text(const RankReport& answer);
/// Throw Error where it is none: the ranks are not of one feedrate.
[[nodiscard]] RankRequest order_from_text(std::string_view text);
[[nodiscard]] RankReport answer_from_text(std::string_view text);

}  // namespace feedrate
