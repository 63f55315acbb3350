// SPDX-License-Identifier: Apache-2.0
// Where NVIDIA's libraries lie that the loader does not look into: those that pip and conda install
// beside torch, and those of a toolkit.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

/// Patterns of glob(7), the most telling first: of the Python that FEEDRATE_PYTHON, VIRTUAL_ENV,
/// CONDA_PREFIX or PATH leads to, of ~/.local, $CUDA_HOME, $CUDA_PATH and /usr/local. Reads the
/// environment, which must not change during the call.
[[nodiscard]] std::vector<std::string> nvidia_folders();

/// `pattern` within the packages of each of those Pythons and of ~/.local. Reads the environment,
/// too.
[[nodiscard]] std::vector<std::string> python_packages(std::string_view pattern);

}  // namespace feedrate
