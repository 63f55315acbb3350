// SPDX-License-Identifier: Apache-2.0
// Finds a Python that has torch and probes it before anything is measured.
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
  std::string start_method;          ///< the default start method of worker processes
  std::vector<std::string> modules;  ///< modules besides torch that cells import
  /// Modules that cannot be imported: why, and the fix.
  std::map<std::string, std::string> missing = {};
  /// The server that answered the probe, for all engines of one thread; null once it has failed.
  std::shared_ptr<ForkServer> server = {};

  /// The command line of a child; `environment` is "NAME=VALUE NAME=VALUE", or empty.
  [[nodiscard]] std::vector<std::string> program(std::string_view environment = {}) const;
};

/// The python3 in the folder of `program`, into which pip installed feedrate, if it has torch or
/// may use the system's. Otherwise empty.
[[nodiscard]] std::filesystem::path python_beside(const std::filesystem::path& program);

/// The interpreters to try, in order: only $FEEDRATE_PYTHON if it is set; otherwise
/// python_beside() `program`, python3 of the active virtual environment or conda environment, the
/// first on $PATH, /usr/bin/python3. Contains only executable files, without duplicates.
[[nodiscard]] std::vector<std::filesystem::path> python_candidates(
    const EnvironmentLookup& lookup, const std::filesystem::path& program = own_program());

/// Returns the first candidate that can import torch and all that the cells need; only modules of
/// formats may be missing. `timeout` is the time limit for each candidate. Throws ConfigError that
/// lists the candidates with their problems and names the fix; Cancelled.
[[nodiscard]] TorchRuntime find_torch(const TorchNeeds& needs, Nanos timeout,
                                      const std::stop_token& stop,
                                      const EnvironmentLookup& lookup = environment_variable);

}  // namespace feedrate
