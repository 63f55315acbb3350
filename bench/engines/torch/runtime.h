// SPDX-License-Identifier: Apache-2.0
// The Python that has torch, found and asked before anything is measured.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/engines/torch/job.h"
#include "bench/engines/torch/python_package.h"
#include "core/host/processes.h"
#include "core/host/slurm.h"
#include "core/units.h"

namespace feedrate {

class ForkServer;

struct TorchRuntime {
  std::shared_ptr<const PythonPackage> package;
  std::filesystem::path interpreter;
  std::string versions;              ///< "torch 2.15.0, Python 3.11.2, torchvision 0.30.0"
  std::string start_method;          ///< of worker processes where nothing else is asked for
  std::vector<std::string> modules;  ///< beside torch, that cells import
  /// Modules of formats that cannot be imported: why, and the cure.
  std::map<std::string, std::string> missing = {};
  /// That answered, for all engines of one thread; null once it has failed.
  std::shared_ptr<ForkServer> server = {};

  /// The command line of a child; `environment` is "NAME=VALUE NAME=VALUE", or empty.
  [[nodiscard]] std::vector<std::string> program(std::string_view environment = {}) const;
};

/// The python3 in the folder of `program`, where it has torch, or may have the system's: pip has
/// installed feedrate into it. Otherwise empty.
[[nodiscard]] std::filesystem::path python_beside(const std::filesystem::path& program);

/// Where a Python is looked for, in order: $FEEDRATE_PYTHON and nothing else, if it is set;
/// otherwise python_beside() `program`, python3 of the active virtual environment or conda
/// environment, the first on $PATH, /usr/bin/python3. Only files that are there and may be run;
/// none twice.
[[nodiscard]] std::vector<std::filesystem::path> python_candidates(
    const EnvironmentLookup& lookup, const std::filesystem::path& program = own_program());

/// The first candidate that can import torch, asked for what the cells need; only modules of
/// formats may be missing. `patience` is for each candidate. Throws ConfigError that names what was
/// tried, what each said and the cure; Cancelled.
[[nodiscard]] TorchRuntime find_torch(const TorchNeeds& needs, Nanos patience,
                                      const std::stop_token& stop,
                                      const EnvironmentLookup& lookup = environment_variable);

}  // namespace feedrate
