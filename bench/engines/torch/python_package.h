// SPDX-License-Identifier: Apache-2.0
// Writes the Python side of the PyTorch engine, which the program embeds, to files.
#pragma once
#include <filesystem>
#include <span>
#include <string_view>

#include "core/temporary_folder.h"

namespace feedrate {

struct PythonFile {
  std::string_view path;  ///< relative, "feedrate/child.py"
  std::string_view text;
};

/// Generated from feedrate_child.py and feedrate/ by cmake/embed_files.cmake.
[[nodiscard]] std::span<const PythonFile> python_files();
/// device/cuda/burn.cuh, which PyTorch compiles.
[[nodiscard]] std::span<const PythonFile> burn_file();

/// Owns a temporary folder with the files. With files instead of `python -c`, tracebacks show
/// source lines and spawned workers can import the modules.
class PythonPackage {
 public:
  /// Throws SystemError.
  PythonPackage();

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  /// The first folder on PYTHONPATH of a watched script.
  [[nodiscard]] std::filesystem::path hook() const { return folder_.path() / "feedrate" / "hook"; }
  [[nodiscard]] std::filesystem::path script() const {
    return folder_.path() / "feedrate_child.py";
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace feedrate
