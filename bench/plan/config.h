// SPDX-License-Identifier: Apache-2.0
// A sweep as the user wrote it, checked: nothing unknown, nothing of the wrong type, nothing out of
// range.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/profile/schedule.h"
#include "bench/plan/own_dataset.h"
#include "bench/plan/round_limits.h"
#include "core/setting.h"
#include "core/units.h"
#include "formats/datasets/synthesize.h"
#include "loaders/decode/transform.h"

namespace feedrate {

/// One knob and the values it takes, at least one.
struct Axis {
  std::string name;
  std::vector<SettingValue> values;
};

struct DatasetConfig {
  /// The user's own, in Python; there is no `path` then.
  std::vector<OwnDataset> own;
  /// Where modules of the user's are looked for first, in order.
  std::vector<std::filesystem::path> module_folders;
  std::filesystem::path path;  ///< relative to the working directory; empty where there are own
  /// Make the dataset by `feedrate data make` if there is nothing at `path`.
  std::optional<MakeOptions> make;
  std::string make_format = "folder";  ///< of what is made
  /// Where datasets are staged; empty: default_staging_folder().
  std::filesystem::path staging_folder;
  /// Damaged records become zeros and are reported, instead of failing the cell.
  bool skip_damaged = false;

  [[nodiscard]] bool is_own() const noexcept { return !own.empty(); }
};

/// The one of `variant`, a setting of the plan's.
/// REQUIRES: dataset.is_own()
[[nodiscard]] const OwnDataset& own_dataset(const DatasetConfig& dataset, std::string_view variant);

/// How many starts of its loader each cell gets.
struct Repeats {
  std::size_t least = kLeastRounds;
  /// As many rounds at most for cells that may still be the best, until the decision is resolved or
  /// out of reach (analysis/decision.h); `least` where the number is fixed.
  std::size_t most = kMostRounds;

  friend bool operator==(const Repeats&, const Repeats&) = default;
};

/// "auto", or a number from 1. Throws ConfigError that begins with `where`.
[[nodiscard]] Repeats parse_repeats(std::string_view text, std::string_view where);
[[nodiscard]] std::string to_string(const Repeats& repeats);

struct MeasureConfig {
  std::size_t steps = 60;  ///< kept steps of a repeat, rounded up to a multiple of num_workers
  std::size_t warmup = 5;  ///< discarded steps, at least; more where the loader's queue needs it
  Repeats repeats;
  std::size_t epochs = 2;  ///< short epochs before the window, for first_batch_time
  std::uint64_t seed = 0;  ///< of the shuffle, the transforms and the order of cells
  Nanos cell_timeout = std::chrono::minutes(10);  ///< of one repeat of one cell
  ProfileSchedule profile;                        ///< which kept steps `sweep --profile` sums up
  bool limits = true;                             ///< measure what trainer and loader reach alone
  bool memory_guard = true;                       ///< skip cells that need more than there is
  bool monitor = true;                            ///< watch the machine while a cell runs
  double tolerance = 0.02;                        ///< a loss that is given for cheaper settings
  std::optional<Nanos> budget = std::nullopt;     ///< no round beyond the least begins after it
  /// ProtocolOptions::window_limit; `tune` sets it.
  std::optional<Nanos> window_limit = std::nullopt;
  /// What au has to reach for au_verdict to be pass; no verdict where empty.
  std::optional<double> au_threshold = std::nullopt;
};

struct SweepConfig {
  std::string name;      ///< the file's name without extension
  std::string question;  ///< its first line, without '#'
  std::string text;
  DatasetConfig dataset;
  PipelineSpec pipeline;
  MeasureConfig measure;
  /// Cells with more workers per usable CPU are skipped; nothing is where empty.
  std::optional<double> max_workers_per_cpu;
  std::vector<Axis> axes;     ///< every knob, in the order of knobs()
  std::set<std::string> set;  ///< the knobs that the file or the command line names
  /// Why a sweep that names no engine has this one (bench/engine_auto.h); empty where it names one.
  std::string engine_reason;
  /// What a workload of DLIO asks and this sweep cannot do, a sentence each.
  std::vector<std::string> warnings;
};

/// Takes a workload of DLIO, too (bench/plan/dlio.h). Throws ConfigError naming file, line, key,
/// and what would be right.
[[nodiscard]] SweepConfig load_config(const std::filesystem::path& file);
[[nodiscard]] SweepConfig parse_config(const std::string& text, const std::string& file_name);

/// "num_workers=0,2,4": name and values, checked.
[[nodiscard]] Axis parse_axis(const std::string& text);
/// "num_workers=0,2,pin_memory=true", as --axis, --only and --present take it: a new knob begins
/// where its name and '=' stand.
[[nodiscard]] std::vector<Axis> parse_axes(const std::string& text);
/// Replaces the values of that knob.
void override_axis(SweepConfig& config, Axis axis);

}  // namespace feedrate
