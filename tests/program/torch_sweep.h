// SPDX-License-Identifier: Apache-2.0
// Sweeps with the PyTorch engine and with datasets of a test's module. One thread.
#pragma once
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "analysis/report/load_run.h"
#include "tests/program/requires_torch.h"
#include "tests/program/workspace.h"

namespace feedrate::testing {

inline constexpr std::string_view kMineModule = R"(
import os, signal, sys, time, warnings
import torch

class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 64
    def __getitem__(self, index):
        return torch.full((8,), float(index)), index

class Sick(Numbers):
    def __init__(self, what):
        self.what = what
    def __getitem__(self, index):
        if index == 30:
            self.what()
        return super().__getitem__(index)

def fail(): raise ValueError("sample 30 is spoilt")
def leave(): os._exit(5)
def die(): os.kill(os.getpid(), signal.SIGKILL)
def hang(): time.sleep(1000)
def complain(): warnings.warn("sample 30 is odd")

def make(): return Numbers()
def make_sick(what): return Sick(globals()[what])
def raising(): raise OSError("no such disk")
def as_text(samples): return "no tensor here"
class Stream(torch.utils.data.IterableDataset):
    def __iter__(self): return iter(torch.arange(40.0))
)";

class TorchSweep : public Workspace {
 protected:
  void SetUp() override { write("mine.py", kMineModule); }

  /// Runs a sweep of `dataset`.
  void sweep(std::string_view dataset, std::string_view loader = "batch_size: 4",
             std::string_view options = "") {
    write("s.yaml", sweep_config(fmt::format("torch: {}", dataset), loader));
    done_ = feedrate(fmt::format("sweep s.yaml --out results {}", options));
  }

  [[nodiscard]] RunResult results() const { return load_run(path("results")); }
  [[nodiscard]] std::string reason() const { return results().cells.at(0).reason; }

  Finished done_;
};

}  // namespace feedrate::testing
