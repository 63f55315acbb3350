// SPDX-License-Identifier: Apache-2.0
#include "device/nvidia_folders.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

namespace feedrate {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

// Folders that have bin/ and lib/.
std::vector<fs::path> prefixes() {
  std::vector<fs::path> found;
  const auto add = [&](const fs::path& prefix) {
    const bool known = std::find(found.begin(), found.end(), prefix) != found.end();
    if (prefix.is_absolute() && !known) found.push_back(prefix);
  };
  add(fs::path(variable("FEEDRATE_PYTHON")).parent_path().parent_path());
  add(variable("VIRTUAL_ENV"));
  add(variable("CONDA_PREFIX"));
  std::istringstream path(variable("PATH"));
  for (std::string folder; std::getline(path, folder, ':');) add(fs::path(folder).parent_path());
  if (const std::string home = variable("HOME"); !home.empty()) add(fs::path(home) / ".local");
  return found;
}

// Adds pip's package folders, which Debian's Python names dist-packages.
void add_packages(const fs::path& prefix, std::string_view pattern,
                  std::vector<std::string>& patterns) {
  for (const std::string_view packages : {"site-packages", "dist-packages"}) {
    patterns.push_back(fmt::format("{}/lib/python3*/{}/{}", prefix.string(), packages, pattern));
  }
}

}  // namespace

std::vector<std::string> python_packages(std::string_view pattern) {
  std::vector<std::string> patterns;
  for (const fs::path& prefix : prefixes()) add_packages(prefix, pattern, patterns);
  return patterns;
}

std::vector<std::string> nvidia_folders() {
  std::vector<std::string> patterns;
  for (const fs::path& prefix : prefixes()) {
    add_packages(prefix, "nvidia/*/lib", patterns);
    patterns.push_back(fmt::format("{}/lib", prefix.string()));  // Conda
  }
  std::vector<std::string> toolkits{"/usr/local/cuda*"};
  for (const char* name : {"CUDA_PATH", "CUDA_HOME"}) {
    if (std::string toolkit = variable(name); !toolkit.empty()) {
      toolkits.insert(toolkits.begin(), std::move(toolkit));
    }
  }
  for (const std::string& toolkit : toolkits) {
    for (const std::string_view folder : {"lib64", "extras/CUPTI/lib64"}) {
      patterns.push_back(fmt::format("{}/{}", toolkit, folder));
    }
  }
  patterns.emplace_back("/usr/local/nvidia/lib*");
  return patterns;
}

}  // namespace feedrate
