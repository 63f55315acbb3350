// feedrate sweep, feedrate plan: a configuration becomes a table.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/console.h"
#include "bench/plan/config.h"
#include "bench/profile_writer.h"

namespace feedrate {

/// What the command line may change of a configuration.
struct SweepOverrides {
  std::vector<std::string> axes;  ///< NAME=VALUE[,VALUE…]
  std::vector<std::string> only;  ///< the same
  std::optional<std::string> device;
  std::optional<std::size_t> steps;
  std::optional<std::size_t> repeats;
  std::optional<std::uint64_t> seed;
  bool no_limits = false;
};

struct SweepOptions {
  std::filesystem::path config;
  SweepOverrides overrides;
  std::filesystem::path out;  ///< empty: feedrate-results/<config>-<time>
  std::string command_line;
  ProfileOptions profile;
};

/// Throws ConfigError.
[[nodiscard]] SweepConfig load_sweep(const std::filesystem::path& file,
                                     const SweepOverrides& overrides);
[[nodiscard]] std::vector<Axis> parse_only(const SweepOverrides& overrides);

/// Measures, prints the table and the best settings to console.out, and writes the results folder.
[[nodiscard]] int run_sweep(const SweepOptions& options, Console& console);

/// Lists cells, skips and what the sweep will cost; measures nothing and makes no dataset.
[[nodiscard]] int run_plan(const SweepOptions& options, Console& console);

}  // namespace feedrate
