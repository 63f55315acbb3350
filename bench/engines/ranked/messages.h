// SPDX-License-Identifier: Apache-2.0
// The messages between the ranks of a sweep, as texts: the leader's request and each rank's report.
// Pure functions; any thread.
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

/// All that a rank needs to measure one start of a cell: it decides nothing by itself.
struct RankRequest {
  std::string config_name;
  std::string config_text;
  std::size_t steps = 0;   ///< MeasureConfig::steps, which options of the command may change
  std::size_t epochs = 0;  ///< likewise
  std::uint64_t seed = 0;
  std::map<std::string, SweepDataset> catalog;
  Settings settings;  ///< the cell's

  /// The configuration of the sweep. Throws ConfigError.
  [[nodiscard]] SweepConfig config() const;
};

/// The result of one rank.
struct RankReport {
  std::string error;            ///< why the start was not measured; empty if it was
  bool is_consequence = false;  ///< the reason is the failure of another rank
  RankFigures figures;          ///< without the metrics, which `repeat` has
  Repeat repeat;                ///< this rank's
  std::vector<std::string> damaged;
  std::vector<std::string> warnings;
};

[[nodiscard]] std::string to_text(const RankRequest& request);
[[nodiscard]] std::string to_text(const RankReport& report);
/// Throw Error if the text is invalid: the ranks run different versions of feedrate.
[[nodiscard]] RankRequest request_from_text(std::string_view text);
[[nodiscard]] RankReport report_from_text(std::string_view text);

}  // namespace feedrate
