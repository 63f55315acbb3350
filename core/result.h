// SPDX-License-Identifier: Apache-2.0
// The results of a run: plain values that can be written, read back, shown and compared without a
// dataset or a device.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/history.h"
#include "core/metric.h"
#include "core/setting.h"

namespace feedrate {

enum class Outcome {
  kPending,  ///< not run yet, or the sweep ended first
  kOk,
  kSkipped,  ///< not meant to run: PyTorch forbids it, or it equals another cell
  kFailed,
};

[[nodiscard]] const char* to_string(Outcome outcome) noexcept;
/// Throws FormatError for an unknown word.
[[nodiscard]] Outcome outcome_from_string(const std::string& word);

/// The figures of one rank of a start with several.
struct RankFigures {
  std::size_t rank = 0;
  std::size_t local_rank = 0;
  std::string node;        ///< host name
  std::string cores;       ///< CPUs that it may use: "0-3,8"
  std::string numa_nodes;  ///< NUMA nodes of these CPUs: "0"
  std::string device;
  std::string gpu_numa_node = {};  ///< NUMA node of its GPU: "1"; empty if unknown or without GPU
  std::string all_reduce =
      {};  ///< library that averaged its gradients: "NCCL 2.27.3"; empty without one
  std::vector<Metric> metrics = {};
};

/// One start of the loader, measured.
struct Repeat {
  /// Aggregated over all ranks (analysis/rank_rules.h).
  std::vector<Metric> metrics = {};
  /// Raw seconds by name: "loading_time", "training_time", "step_time" have a value per kept step,
  /// "first_batch_time" one per epoch. In run.json only.
  std::map<std::string, std::vector<double>> series = {};
  std::vector<RankFigures> ranks = {};  ///< by rank; empty for a single rank
  /// The library that did the device's work of a step: PyTorch on a GPU; empty: feedrate itself.
  std::string device_step = {};
  /// All starts of a round were measured sequentially, in random order, so that drift of the
  /// machine affects all. Empty without rounds.
  std::optional<std::size_t> round = {};
};

struct CellResult {
  std::size_t index = 0;  ///< position in the plan, not in the order of running
  Settings settings;      ///< resolved and complete, in the plan's order
  Outcome outcome = Outcome::kPending;
  std::string reason;      ///< why it was skipped or failed
  std::string bottleneck;  ///< where its time goes (analysis/limits.h); empty if not judged
  std::string jobid;       ///< Slurm's id of its last start; empty outside Slurm, or unmeasured
  std::string node;        ///< the node of its last start
  std::vector<Metric> metrics;  ///< over all repeats
  std::vector<Repeat> repeats;
};

/// Null if the cell has no such metric.
[[nodiscard]] const double* find_metric(const std::vector<Metric>& metrics, const std::string& tag);

/// One fact of the machine: {"cpu_model", "AMD EPYC 7763"}. Names are stable: compare reads them.
struct Fact {
  std::string name;
  std::string value;
};

/// Null if there is no such fact.
[[nodiscard]] const std::string* find_fact(const std::vector<Fact>& facts, const std::string& name);

struct Environment {
  std::vector<Fact> facts;
  std::vector<std::string> warnings;  ///< reasons to trust the figures less, a sentence each
};

/// The recommendation of a tune (analysis/report/recommended.h).
struct Recommended {
  Settings settings = {};   ///< of the cell, complete
  double confidence = 0.0;  ///< reached
  double confidence_asked = 0.0;
  std::string claim = {};  ///< what the confidence refers to, a sentence
  std::string text = {};   ///< the output of the tune as printed
  std::string code = {};   ///< the lines to paste; may be empty
};

struct RunResult {
  std::string config_name;  ///< "quickstart"
  std::string question;     ///< the first line of the config, without '#'
  std::string config_text;  ///< the YAML text
  std::string started_at;   ///< UTC, ISO 8601
  std::string command;      ///< the command line
  /// Changes of the configuration by the command line: "--axis=num_workers=0,2".
  std::vector<std::string> overrides;
  /// Settings that the configuration or the command line names; all others are defaults. Empty in
  /// results of older versions.
  std::vector<std::string> set;
  std::string jobid;       ///< Slurm's job id, empty outside Slurm
  bool simulated = false;  ///< a device was simulated; every output says so
  bool interrupted = false;
  Environment environment;
  double tolerance = 0.02;  ///< accepted loss for cheaper settings
  std::string sort;         ///< setting or metric by which the table is sorted; empty: the rate
  std::vector<std::string> axes;  ///< settings with more than one value, in the plan's order
  std::vector<CellResult> cells;  ///< every cell of the plan, by index
  std::optional<Recommended> recommended = {};  ///< set when a tune has finished
  std::optional<RunHistory> history = {};       ///< the history of a watched training
};

/// The cell's job id, else the run's.
[[nodiscard]] const std::string& jobid_of(const RunResult& run, const CellResult& cell);

}  // namespace feedrate
