// SPDX-License-Identifier: Apache-2.0
// What it takes to measure the cells of a plan: their devices, Python, cost profiles and datasets,
// and the engine that runs them. For every command that measures. One thread.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/dataset_catalog.h"
#include "bench/engines/engine.h"
#include "bench/engines/instruments.h"
#include "bench/engines/ranked/rank_launcher.h"
#include "bench/engines/run_profile.h"
#include "bench/engines/torch/runtime.h"
#include "bench/plan/cost_profile.h"
#include "bench/plan/plan.h"
#include "core/clock.h"
#include "core/host/console.h"
#include "core/result.h"
#include "device/device.h"

namespace feedrate {

/// What the engines tell while they run, on the thread of their run().
struct EngineEvents {
  std::function<void(const std::string&)> on_damaged;  ///< a record that became zeros
  /// A warning of Python, what an instrument found wrong; the same may come with every start.
  std::function<void(const std::string&)> on_warning;
  OnProfile on_profile = {};  ///< may be empty
};

struct WorkbenchOptions {
  bool trace = false;  ///< record what GPUs do
  /// Of cells with several ranks; null: one that starts them itself.
  std::shared_ptr<RankLauncher> launcher = {};
};

class Workbench {
 public:
  /// Looks at all that the plan names but its dataset, and that there is one. Throws ConfigError,
  /// so that nothing is written before it is known that the plan can run.
  Workbench(const SweepConfig& config, std::vector<Cell> plan, const WorkbenchOptions& options,
            Console& console);

  /// Cells that this machine's Python cannot run are skipped, with the cure.
  [[nodiscard]] const std::vector<Cell>& plan() const noexcept { return plan_; }

  /// Makes and converts what the plan needs of its dataset; throws as prepare_datasets().
  void prepare_dataset(Console& console);

  /// This machine, the devices, engines, datasets that are shelved, profiles and doubts.
  void describe(RunResult& run) const;

  /// REQUIRES: shelve() was called. `clock` outlives the engine.
  [[nodiscard]] std::unique_ptr<CellEngine> make_engine(const EngineEvents& events,
                                                        Clock& clock) const;

 private:
  void add_instruments(RunResult& run) const;
  void add_engines(RunResult& run) const;
  void add_profiles(RunResult& run) const;
  [[nodiscard]] std::unique_ptr<CellEngine> make_any_engine(const EngineEvents& events,
                                                            Clock& clock) const;
  [[nodiscard]] std::unique_ptr<CellEngine> make_single_engine(const EngineEvents& events,
                                                               Clock& clock) const;

  SweepConfig config_;
  std::vector<Cell> plan_;
  std::map<std::string, DeviceInfo> devices_;
  std::optional<TorchRuntime> torch_;
  std::map<std::string, CostProfile> profiles_;  // By file.
  InstrumentsChosen chosen_;
  std::shared_ptr<RankLauncher> launcher_;
  std::map<std::string, SweepDataset> catalog_;
  std::vector<std::string> warnings_;  // About the datasets.
};

/// The plan as a result of which nothing is known yet, begun now.
[[nodiscard]] RunResult begin_run(const SweepConfig& config, const std::vector<Cell>& plan,
                                  const std::string& command_line);

/// One more cell of a run: to be measured, or skipped.
void add_cell(RunResult& run, const Cell& cell);

/// The facts by which paste_ready() names what a dataset in Python brings beside itself.
void add_own_functions(RunResult& run, const OwnDataset& own);

/// Pending cells become skipped where `plan`, the run's own, has come to skip them.
void skip_cells(RunResult& run, const std::vector<Cell>& plan);

/// Adds a reason to doubt the numbers, in one line, unless it is there.
void add_warning(RunResult& run, std::string warning);

/// feedrate-results/<name>-<time><suffix>
[[nodiscard]] std::filesystem::path default_results_folder(const std::string& name,
                                                           const std::string& suffix = {});

/// `out`. Where it is empty: a folder of this name that no other run has, created by this call.
/// Throws ConfigError.
[[nodiscard]] std::filesystem::path results_folder(const std::filesystem::path& out,
                                                   const std::string& name,
                                                   const std::string& suffix = {});

/// Of a program that made this result.
[[nodiscard]] int exit_code_of(const RunResult& run);

}  // namespace feedrate
