// SPDX-License-Identifier: Apache-2.0
// Everything known about a run once it is over: plain values that can be written, read back, shown
// and compared without a dataset or a device.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/course.h"
#include "core/metric.h"
#include "core/setting.h"

namespace feedrate {

enum class Outcome {
  kPending,  ///< not run yet, or the sweep ended before it
  kOk,
  kSkipped,  ///< never meant to run: forbidden by PyTorch, or equal to another cell
  kFailed,
};

[[nodiscard]] const char* to_string(Outcome outcome) noexcept;
/// Throws FormatError for an unknown word.
[[nodiscard]] Outcome outcome_from_string(const std::string& word);

/// What one rank of a start with several contributed to it.
struct RankFigures {
  std::size_t rank = 0;
  std::size_t local_rank = 0;  ///< on its node
  std::string node;            ///< its host name
  std::string cores;           ///< the CPUs that it may use: "0-3,8"
  std::string numa_nodes;      ///< those of these CPUs: "0"
  std::string device;
  std::string gpu_numa_node = {};  ///< its GPU's: "1"; empty: none, or not known
  std::string all_reduce = {};     ///< what moved its gradients: "NCCL 2.27.3"; empty: none did
  std::vector<Metric> metrics = {};
};

/// One start of the loader, measured.
struct Repeat {
  /// Over all ranks, where there are several (analysis/rank_rules.h).
  std::vector<Metric> metrics = {};
  /// Raw seconds by name ("loading_time", "training_time", "step_time", one value a kept step;
  /// "first_batch_time", one an epoch). In run.json only.
  std::map<std::string, std::vector<double>> series = {};
  std::vector<RankFigures> ranks = {};  ///< by rank; empty where there is one only
  /// What did the device's work of a step where that was not feedrate itself: PyTorch, on a GPU.
  std::string device_step = {};
  /// Starts of the same round were measured one after the other, in random order, so that what the
  /// machine did meets all of them. Nothing where it had no round.
  std::optional<std::size_t> round = {};
};

struct CellResult {
  std::size_t index = 0;  ///< place in the plan, not in the order of running
  Settings settings;      ///< resolved and complete, in the plan's order
  Outcome outcome = Outcome::kPending;
  std::string reason;           ///< why it was skipped or failed
  std::string bottleneck;       ///< where its time goes (analysis/limits.h); empty where not judged
  std::string jobid;            ///< Slurm's, of its last start; empty outside Slurm, or unmeasured
  std::string node;             ///< which measured its last start
  std::vector<Metric> metrics;  ///< over all repeats
  std::vector<Repeat> repeats;
};

/// Null where the cell has no such metric.
[[nodiscard]] const double* find_metric(const std::vector<Metric>& metrics, const std::string& tag);

/// One fact of the machine: {"cpu_model", "AMD EPYC 7763"}. Names are stable: compare reads them.
struct Fact {
  std::string name;
  std::string value;
};

/// Null where there is no such fact.
[[nodiscard]] const std::string* find_fact(const std::vector<Fact>& facts, const std::string& name);

struct Environment {
  std::vector<Fact> facts;
  std::vector<std::string> warnings;  ///< every reason to doubt the numbers, a sentence each
};

/// What a tune recommends of its cells (analysis/report/recommended.h).
struct Recommended {
  Settings settings = {};         ///< of the cell, complete
  double confidence = 0.0;        ///< reached
  double confidence_asked = 0.0;  ///< for
  std::string claim = {};         ///< what the confidence is of, a sentence
  std::string text = {};          ///< all that the tune said, as it was printed
  std::string code = {};          ///< the lines to paste; empty where there are none
};

struct RunResult {
  std::string config_name;  ///< "quickstart"
  std::string question;     ///< the config's first line, without '#'
  std::string config_text;  ///< the YAML as it was read
  std::string started_at;   ///< UTC, ISO 8601
  std::string command;      ///< the command line
  /// What the command line changed of the configuration: "--axis=num_workers=0,2".
  std::vector<std::string> overrides;
  /// Settings that the configuration or the command line names; what is not there is at its
  /// default. Empty in results of before.
  std::vector<std::string> set;
  std::string jobid;       ///< Slurm's job id, empty outside Slurm
  bool simulated = false;  ///< whether any device was simulated: every output says so
  bool interrupted = false;
  Environment environment;
  double tolerance = 0.02;  ///< a loss that the user gives for cheaper settings
  std::string sort;         ///< setting or metric that the table is sorted by; empty: the rate
  std::vector<std::string> axes;  ///< settings that take more than one value, in the plan's order
  std::vector<CellResult> cells;  ///< every cell of the plan, by index
  std::optional<Recommended> recommended = {};  ///< of a tune that came to its end
  std::optional<RunCourse> course = {};         ///< of a watched training
};

/// The cell's own, else the run's.
[[nodiscard]] const std::string& jobid_of(const RunResult& run, const CellResult& cell);

}  // namespace feedrate
