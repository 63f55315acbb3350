// SPDX-License-Identifier: Apache-2.0
// The checked configuration of a sweep: no unknown keys, wrong types or values out of range.
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

struct Axis {
  std::string name;
  std::vector<SettingValue> values;
};

struct DatasetConfig {
  /// The user's datasets in Python; `path` is then empty.
  std::vector<OwnDataset> own;
  /// Folders searched first for the user's Python modules, in order.
  std::vector<std::filesystem::path> module_folders;
  std::filesystem::path path;  ///< relative to the working directory; empty with `own`
  /// Makes the dataset as `feedrate data make` does if nothing exists at `path`.
  std::optional<MakeOptions> make;
  std::string make_format = "folder";  ///< format of a made dataset
  /// Folder for staged datasets; empty: default_staging_folder().
  std::filesystem::path staging_folder;
  /// Damaged records become zeros and are reported instead of failing the cell.
  bool skip_damaged = false;

  [[nodiscard]] bool is_own() const noexcept { return !own.empty(); }
};

/// The dataset of `variant`, a setting of the plan.
/// REQUIRES: dataset.is_own()
[[nodiscard]] const OwnDataset& own_dataset(const DatasetConfig& dataset, std::string_view variant);

/// The number of starts of its loader per cell.
struct Repeats {
  std::size_t least = kLeastRounds;
  /// Upper limit for cells that may still be the best, until the decision is resolved or out of
  /// reach (analysis/decision.h); equals `least` if the number is fixed.
  std::size_t most = kMostRounds;

  friend bool operator==(const Repeats&, const Repeats&) = default;
};

/// Parses "auto" or a number from 1. Throws ConfigError that begins with `where`.
[[nodiscard]] Repeats parse_repeats(std::string_view text, std::string_view where);
[[nodiscard]] std::string to_string(const Repeats& repeats);

struct MeasureConfig {
  std::size_t steps = 60;  ///< kept steps of a repeat, rounded up to a multiple of num_workers
  std::size_t warmup = 5;  ///< discarded steps, at least; more if the loader's queue needs it
  Repeats repeats;
  std::size_t epochs = 2;  ///< short epochs before the window, for first_batch_time
  std::uint64_t seed = 0;  ///< of the shuffle, the transforms and the order of cells
  Nanos cell_timeout = std::chrono::minutes(10);  ///< of one repeat of one cell
  ProfileSchedule profile;                     ///< the kept steps that `sweep --profile` summarizes
  bool limits = true;                          ///< measure what trainer and loader reach alone
  bool memory_guard = true;                    ///< skip cells that need more memory than available
  bool monitor = true;                         ///< observe the machine while a cell runs
  double tolerance = 0.02;                     ///< accepted loss for cheaper settings
  std::optional<Nanos> budget = std::nullopt;  ///< rounds beyond the least begin only within it
  /// ProtocolOptions::window_limit; `tune` sets it.
  std::optional<Nanos> window_limit = std::nullopt;
  /// au_verdict passes from this au; empty: no verdict
  std::optional<double> au_threshold = std::nullopt;
};

struct SweepConfig {
  std::string name;      ///< the file's name without extension
  std::string question;  ///< its first line, without '#'
  std::string text;
  DatasetConfig dataset;
  PipelineSpec pipeline;
  MeasureConfig measure;
  /// Cells with more workers per usable CPU are skipped; empty: no limit.
  std::optional<double> max_workers_per_cpu;
  std::vector<Axis> axes;     ///< every knob, in the order of knobs()
  std::set<std::string> set;  ///< knobs that the file or the command line names
  /// Why this engine was chosen if the sweep names none (bench/engine_auto.h); else empty.
  std::string engine_reason;
  /// Requests of a DLIO workload that this sweep cannot fulfill, a sentence each.
  std::vector<std::string> warnings;
};

/// Also takes a workload of DLIO (bench/plan/dlio.h). Throws ConfigError naming file, line, key and
/// the fix.
[[nodiscard]] SweepConfig load_config(const std::filesystem::path& file);
[[nodiscard]] SweepConfig parse_config(const std::string& text, const std::string& file_name);

/// Parses and checks "num_workers=0,2,4".
[[nodiscard]] Axis parse_axis(const std::string& text);
/// Parses "num_workers=0,2,pin_memory=true", the form of --axis, --only and --present: NAME= begins
/// a new knob.
[[nodiscard]] std::vector<Axis> parse_axes(const std::string& text);
void override_axis(SweepConfig& config, Axis axis);

}  // namespace feedrate
