// SPDX-License-Identifier: Apache-2.0
// Folders of NVIDIA's libraries that the dynamic loader does not search: those of pip and conda
// packages that torch depends on, and those of a CUDA toolkit.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

/// Patterns of glob(7), the most specific first: folders of the Python that FEEDRATE_PYTHON,
/// VIRTUAL_ENV, CONDA_PREFIX or PATH names, of ~/.local, $CUDA_HOME, $CUDA_PATH and /usr/local.
/// Reads the environment, which must not change during the call.
[[nodiscard]] std::vector<std::string> nvidia_folders();

/// Glob patterns for `pattern` in the packages of the same Pythons and of ~/.local. Reads the
/// environment, too.
[[nodiscard]] std::vector<std::string> python_packages(std::string_view pattern);

}  // namespace feedrate
