// feedrate sweep, feedrate plan: a configuration becomes a table.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/console.h"
#include "bench/plan/config.h"
#include "bench/profile_writer.h"
#include "bench/resume.h"

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
  std::filesystem::path config;  ///< may be empty where a run is resumed
  SweepOverrides overrides;
  std::filesystem::path out;  ///< empty: feedrate-results/<config>-<time>
  std::string command_line;
  ProfileOptions profile;
  ResumeOptions resume;
};

/// Throws ConfigError.
[[nodiscard]] SweepConfig load_sweep(const std::filesystem::path& file,
                                     const SweepOverrides& overrides);
/// The same, of a run that goes on: its configuration, changed by `overrides`.
[[nodiscard]] SweepConfig load_stored_sweep(const RunResult& run, const SweepOverrides& overrides);
[[nodiscard]] std::vector<Axis> parse_only(const SweepOverrides& overrides);

/// As a run keeps them: "--axis=num_workers=0,2".
[[nodiscard]] std::vector<std::string> to_texts(const SweepOverrides& overrides);
/// Throws ConfigError.
[[nodiscard]] SweepOverrides overrides_from_texts(const std::vector<std::string>& texts);

/// Of a run that goes on: its own, changed by what is given again. Throws ConfigError where that
/// would measure otherwise than before.
[[nodiscard]] SweepOverrides resumed_overrides(const SweepOptions& options, const RunResult& run);

/// Measures, prints the table and the best settings to console.out, and writes the results folder.
[[nodiscard]] int run_sweep(const SweepOptions& options, Console& console);

/// Lists cells, skips and what the sweep will cost; measures nothing and makes no dataset.
[[nodiscard]] int run_plan(const SweepOptions& options, Console& console);

}  // namespace feedrate
