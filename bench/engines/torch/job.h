// SPDX-License-Identifier: Apache-2.0
// A cell as the Python side reads it: feedrate/job.py has the same fields.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "bench/engines/protocol.h"
#include "bench/plan/cell_spec.h"
#include "bench/plan/own_dataset.h"
#include "loaders/decode/transform.h"

namespace feedrate {

/// The records of one of feedrate's own datasets.
struct TorchRecords {
  std::filesystem::path path;
  std::string format;
  PipelineSpec pipeline;  ///< as the configuration has it
  bool skip_damaged = false;
};

/// One of the first two.
struct TorchDataset {
  std::optional<TorchRecords> records;
  std::optional<OwnDataset> own;
  std::vector<std::filesystem::path> module_folders =
      {};  ///< where the user's modules are, in order
};

/// Lines of JSON, without their end. A child ends with `parent`, the process that forks it.
[[nodiscard]] std::string torch_job(const CellSpec& cell, const TorchDataset& dataset,
                                    const ProtocolOptions& protocol, pid_t parent);

struct TorchNeeds {
  /// Modules beside torch, and the packages that bring them: {"PIL", "pillow"}.
  std::map<std::string, std::string> modules;
  /// The same, of single formats: where one is missing, the cells of other formats still run.
  std::map<std::string, std::string> format_modules = {};
  bool cuda = false;
  /// Of several the cells of one whose package is missing do not run; of a single one, none do.
  std::vector<OwnDataset> own = {};
  /// Of the user's, by what they are needed for: "loader.factory m:f" is "m:f"; the cells of one
  /// whose package is missing do not run.
  std::map<std::string, std::string> functions = {};
  std::vector<std::filesystem::path> module_folders = {};
};

/// By what a variant of the user's is known in TorchRuntime::missing.
[[nodiscard]] std::string variant_need(std::string_view variant);
/// The functions that a cell needs, as in TorchNeeds.
[[nodiscard]] std::map<std::string, std::string> functions_of(const CellSpec& cell);

/// Of cells that all have to run.
[[nodiscard]] TorchNeeds all_required(TorchNeeds needs);

[[nodiscard]] std::string torch_probe(const TorchNeeds& needs, pid_t parent);

/// To import torch and these, and to fork a child for each cell.
[[nodiscard]] std::string torch_server_job(const std::vector<std::string>& modules);

/// Of an int64, which a batch has for each sample.
inline constexpr std::size_t kTorchLabelBytes = 8;

/// "cuda:1" is on a real device, where the child trains by itself.
[[nodiscard]] bool is_cuda(const CellSpec& cell);

}  // namespace feedrate
