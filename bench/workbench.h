// SPDX-License-Identifier: Apache-2.0
// Everything needed to measure the cells of a plan: devices, Python, cost profiles, datasets, and
// the engine. For every command that measures. One thread.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
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

/// The damaged records that a loader replaced by zeros, each named once. Any thread.
class DamagedRecords {
 public:
  void add(const std::string& what);
  [[nodiscard]] std::vector<std::string> names() const;
  /// Adds a warning with their number; none if there are none.
  void warn(RunResult& run) const;

 private:
  mutable std::mutex mutex_;
  std::set<std::string> names_;  // Guarded by mutex_.
};

/// Callbacks of the engines, on the thread of their run().
struct EngineEvents {
  std::function<void(const std::string&)> on_damaged;  ///< a damaged record became zeros
  /// A warning of Python or a failed instrument; may repeat at every start.
  std::function<void(const std::string&)> on_warning;
  OnProfile on_profile = {};  ///< may be empty
};

struct WorkbenchOptions {
  bool trace = false;  ///< record what GPUs do
  /// Starts the ranks of cells with several; null: a new one.
  std::shared_ptr<RankLauncher> launcher = {};
};

class Workbench {
 public:
  /// Checks everything that the plan names, and that the dataset exists. Throws ConfigError, so
  /// that nothing is written before it is known that the plan can run.
  Workbench(const SweepConfig& config, std::vector<Cell> plan, const WorkbenchOptions& options,
            Console& console);

  /// Cells that this machine's Python cannot run are skipped, with the cure.
  [[nodiscard]] const std::vector<Cell>& plan() const noexcept { return plan_; }

  /// Makes and converts what the plan needs of its dataset; throws as prepare_datasets().
  void prepare_dataset(Console& console);

  /// Adds the machine, devices, engines, datasets, profiles and warnings.
  void describe(RunResult& run) const;

  /// REQUIRES: prepare_dataset() was called. `clock` must outlive the engine.
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
  std::map<std::string, CostProfile> profiles_;  // by file
  InstrumentsChosen chosen_;
  std::shared_ptr<RankLauncher> launcher_;
  std::map<std::string, SweepDataset> catalog_;
  std::vector<std::string> warnings_;  // about the datasets
};

/// An empty result of the plan that begins now.
[[nodiscard]] RunResult begin_run(const SweepConfig& config, const std::vector<Cell>& plan,
                                  const std::string& command_line);

/// Adds a cell to a run: to be measured, or skipped.
void add_cell(RunResult& run, const Cell& cell);

/// Adds the facts by which paste_ready() names the functions that a Python dataset comes with.
void add_own_functions(RunResult& run, const OwnDataset& own);

/// Pending cells become skipped if `plan`, the run's own, now skips them.
void skip_cells(RunResult& run, const std::vector<Cell>& plan);

/// Adds a one-line warning unless it exists.
void add_warning(RunResult& run, std::string warning);

/// feedrate-results/<name>-<time><suffix>
[[nodiscard]] std::filesystem::path default_results_folder(const std::string& name,
                                                           const std::string& suffix = {});

/// Returns `out`; if it is empty, creates a new folder with a unique name. Throws ConfigError.
[[nodiscard]] std::filesystem::path results_folder(const std::filesystem::path& out,
                                                   const std::string& name,
                                                   const std::string& suffix = {});

/// The exit code of a program that made this result.
[[nodiscard]] int exit_code_of(const RunResult& run);

}  // namespace feedrate
