// SPDX-License-Identifier: Apache-2.0
// Writes a cell as the JSON that the Python side reads: feedrate/job.py has the same fields.
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
  PipelineSpec pipeline;  ///< the configuration's
  bool skip_damaged = false;
};

/// Either `records` or `own` has a value.
struct TorchDataset {
  std::optional<TorchRecords> records;
  std::optional<OwnDataset> own;
  std::vector<std::filesystem::path> module_folders = {};  ///< folders of the user's modules
};

/// The torch_… functions return a line of JSON without line feed. A child ends when `parent` does,
/// the process that forks it.
[[nodiscard]] std::string torch_job(const CellSpec& cell, const TorchDataset& dataset,
                                    const ProtocolOptions& protocol, pid_t parent);

struct TorchNeeds {
  /// Modules besides torch, with their packages: {"PIL", "pillow"}.
  std::map<std::string, std::string> modules;
  /// Modules of single formats, with their packages: without one, the other formats' cells still
  /// run.
  std::map<std::string, std::string> format_modules = {};
  bool cuda = false;
  /// The user's datasets. If a dataset's package is missing, only its cells do not run.
  std::vector<OwnDataset> own = {};
  /// The user's functions by the settings that need them: "loader.factory m:f" is "m:f". If a
  /// function's package is missing, only its cells do not run.
  std::map<std::string, std::string> functions = {};
  std::vector<std::filesystem::path> module_folders = {};
};

/// The key of a variant in TorchRuntime::missing.
[[nodiscard]] std::string variant_need(std::string_view variant);
/// The functions that a cell needs, as in TorchNeeds.
[[nodiscard]] std::map<std::string, std::string> functions_of(const CellSpec& cell);

/// Makes the modules of formats required, for cells that all have to run.
[[nodiscard]] TorchNeeds all_required(TorchNeeds needs);

[[nodiscard]] std::string torch_probe(const TorchNeeds& needs, pid_t parent);

/// The job of a fork server, which imports torch and `modules`.
[[nodiscard]] std::string torch_server_job(const std::vector<std::string>& modules);

/// A batch has an int64 label for each sample.
inline constexpr std::size_t kTorchLabelBytes = 8;

/// Whether the device is real, as "cuda:1": then the child itself trains.
[[nodiscard]] bool is_cuda(const CellSpec& cell);

}  // namespace feedrate
