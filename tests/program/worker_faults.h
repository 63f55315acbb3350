// SPDX-License-Identifier: Apache-2.0
// A sweep whose workers fail. Afterwards no process of the run, no segment in /dev/shm and no
// temporary folder may be left. One thread.
#pragma once
#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <thread>

#include <unistd.h>

#include "analysis/report/csv.h"
#include "analysis/report/load_run.h"
#include "tests/program/requires_torch.h"
#include "tests/program/workspace.h"
#include "tests/support/run_trace.h"

namespace feedrate::testing {

// Each sample reads a file, as images do, which shows a worker's progress.
inline constexpr std::string_view kModule = R"(
import time
import torch

class Files(torch.utils.data.Dataset):
    def __init__(self, spoilt, hanging):
        self.spoilt, self.hanging = spoilt, hanging
    def __len__(self):
        return 16
    def __getitem__(self, index):
        if index == self.spoilt:
            raise ValueError(f"record {index} is spoilt")
        while index == self.hanging:
            time.sleep(1)
        with open(__file__, "rb") as file:
            file.read()
        return torch.full((8,), float(index)), index

def make(spoilt=-1, hanging=-1):
    return Files(spoilt, hanging)
)";

/// An engine and a transport.
struct Kind {
  std::string_view name;
  std::string_view engine;
  std::string_view transport;
};
inline void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }
inline constexpr Kind kFresh{"fresh", "native", "fresh"};
inline constexpr Kind kFileSystem{"file_system", "native", "file_system"};
inline constexpr Kind kTorch{"torch", "torch", "fresh"};

inline constexpr std::size_t kRecords = 16;
inline constexpr std::size_t kBatch = 4;
/// Without the guard, which would prevent the faults. A cell takes two seconds, so that it can be
/// observed.
inline constexpr std::string_view kSlow =
    "trainer: {kind: burn, step_ms: 30}\nmeasure: {steps: 60, limits: false, memory_guard: false, ";
inline constexpr std::string_view kQuick =
    "trainer: {kind: burn, step_ms: 1}\nmeasure: {steps: 8, limits: false, memory_guard: false, ";

class WorkerFaults : public Workspace {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(path("temp"));
    write("mine.py", kModule);
  }

  void TearDown() override {
    child_.reset();
    EXPECT_TRUE(no_process_is_left());
    EXPECT_THAT(trace_.segments(), IsEmpty());
    // Names of feedrate's files begin with feedrate-torch-. Python's own may stay: when a worker
    // dies, PyTorch opens temporary files to count descriptors, and its signal handler throws
    // during that.
    EXPECT_THAT(listing("temp"), Each(StartsWith("tmp")));
  }

  void write_sweep(const Kind& kind, std::string_view dataset, std::string_view loader,
                   std::string_view how) const {
    write("s.yaml", fmt::format("dataset: {{{}}}\n"
                                "loader: {{batch_size: {}, transport: {}, {}}}\n"
                                "engine: {}\n"
                                "device: {{name: 'sim:a100-pcie4'}}\n"
                                "{}warmup: 0, repeats: 1}}\n",
                                dataset, kBatch, kind.transport, loader, kind.engine, how));
  }
  /// Writes a sweep over undamaged records.
  void write_sweep(const Kind& kind, std::string_view loader, std::string_view how) const {
    const bool torch = kind.engine == kTorch.engine;
    if (!torch) make_images();
    write_sweep(kind, torch ? "torch: 'mine:make'" : "path: ds", loader, how);
  }

  /// `before_exec` prepares the child further.
  void start(std::function<bool()> before_exec = {}) {
    ChildSetup setup = this->setup();
    const std::string temp = path("temp");
    setup.before_exec = [this, temp, before_exec] {
      return ::setenv("TMPDIR", temp.c_str(), 1) == 0 && trace_.mark_this_process() &&
             (!before_exec || before_exec());
    };
    child_.emplace("sweep s.yaml --out results", setup);
  }

  /// False if the sweep needs torch and there is none.
  [[nodiscard]] bool finish() {
    done_ = child_->wait();
    return has_torch(done_);
  }

  [[nodiscard]] bool run(std::function<bool()> before_exec = {}) {
    start(std::move(before_exec));
    return finish();
  }

  /// A worker of two that has read more than it can before the trainer takes a batch.
  std::optional<pid_t> worker_in_mid_epoch() {
    const std::vector<pid_t> workers = this->workers();
    if (workers.size() != 2) return std::nullopt;
    if (bytes_read_by(workers.back()) < bytes_of_an_epoch()) return std::nullopt;
    return workers.back();
  }

  /// Waits for such a worker and stops it while it has no named segment: if PyTorch's worker were
  /// killed with one, nobody could remove it.
  std::optional<pid_t> stop_worker_in_mid_epoch() {
    std::optional<pid_t> worker;
    const bool in_time = child_->wait_until([&] {
      worker = worker_in_mid_epoch();
      return worker && stop_between_segments(*worker);
    });
    return in_time ? worker : std::nullopt;
  }

  /// The results without skipped cells.
  [[nodiscard]] RunResult csv() const {
    RunResult run = read_cells_csv(path("results/cells.csv"));
    const auto is_skipped = [](const CellResult& cell) {
      return cell.outcome == Outcome::kSkipped;
    };
    run.cells.erase(std::remove_if(run.cells.begin(), run.cells.end(), is_skipped),
                    run.cells.end());
    return run;
  }

  void expect_failed(const std::vector<CellResult>& cells,
                     const ::testing::Matcher<std::string>& reason) const {
    EXPECT_FALSE(cells.empty());
    for (const CellResult& cell : cells) {
      EXPECT_EQ(cell.outcome, Outcome::kFailed);
      EXPECT_THAT(cell.reason, reason);
      EXPECT_THAT(done_.out, HasSubstr(cell.reason.substr(0, cell.reason.find('\n'))));
    }
  }
  static void expect_measured(const std::vector<CellResult>& cells) {
    EXPECT_FALSE(cells.empty());
    for (const CellResult& cell : cells) {
      EXPECT_EQ(cell.outcome, Outcome::kOk) << cell.reason;
      EXPECT_NE(find_metric(cell.metrics, "samples_per_second"), nullptr);
    }
  }

  /// The cell with two workers, one of which failed, must fail, and the cell with one worker
  /// succeed.
  void expect_only_the_cell_of_two_fails(const ::testing::Matcher<std::string>& reason) const {
    EXPECT_EQ(done_.exit_code, 1) << done_.err;
    const RunResult run = csv();
    EXPECT_EQ(run.cells.size(), 2U);
    expect_failed(cells_with(run, "num_workers", "2"), reason);
    expect_measured(cells_with(run, "num_workers", "1"));
    EXPECT_EQ(load_run(path("results")).cells.size(), 2U);
  }

  /// feedrate names its workers; those of PyTorch are children of a cell's Python, which is a child
  /// of the fork server.
  std::vector<pid_t> workers() {
    std::vector<pid_t> pids;
    const std::vector<TracedProcess> all = trace_.processes();
    const auto parent_of = [&](pid_t pid) {
      const auto found = std::find_if(
          all.begin(), all.end(), [&](const TracedProcess& process) { return process.pid == pid; });
      return found == all.end() ? pid_t{0} : found->parent;
    };
    for (const TracedProcess& process : all) {
      const bool is_pytorchs = parent_of(parent_of(process.parent)) == child_->pid();
      if (process.name.starts_with("feedrate-w") || is_pytorchs) pids.push_back(process.pid);
    }
    return pids;
  }

  RunTrace trace_{path("temp").string()};
  std::optional<FeedrateChild> child_;
  Finished done_;

 private:
  [[nodiscard]] std::size_t bytes_of_an_epoch() const {
    if (!exists("ds")) return kRecords * kModule.size();
    std::size_t bytes = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path("ds"))) {
      if (entry.is_regular_file()) bytes += entry.file_size();
    }
    return bytes;
  }

  bool stop_between_segments(pid_t pid) {
    ::kill(pid, SIGSTOP);
    for (;;) {
      const std::vector<TracedProcess> all = trace_.processes();
      const auto found = std::find_if(all.begin(), all.end(), [pid](const TracedProcess& process) {
        return process.pid == pid;
      });
      if (found == all.end()) return false;
      if (found->state == 'T') break;
    }
    if (trace_.segments_of(pid).empty()) return true;
    ::kill(pid, SIGCONT);
    return false;
  }

  // Killed processes need a moment to end; a hanging or forgotten one never ends.
  ::testing::AssertionResult no_process_is_left() {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    std::vector<TracedProcess> left = trace_.processes();
    while (!left.empty() && std::chrono::steady_clock::now() < limit) {
      std::this_thread::yield();
      left = trace_.processes();
    }
    if (left.empty()) return ::testing::AssertionSuccess();
    ::testing::AssertionResult failure = ::testing::AssertionFailure();
    for (const TracedProcess& process : left) {
      failure << process.name << " (" << process.pid << ", " << process.state << ") is left; ";
      ::kill(process.pid, SIGKILL);
    }
    return failure;
  }
};

}  // namespace feedrate::testing
