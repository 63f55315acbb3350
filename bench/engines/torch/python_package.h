// SPDX-License-Identifier: Apache-2.0
// The Python side of the PyTorch engine, which the program carries with it, as files.
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

/// A folder of its own for the files. Files rather than `python -c`, so that tracebacks show their
/// lines and spawned workers can import them.
class PythonPackage {
 public:
  /// Throws SystemError.
  PythonPackage();

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  /// What is first on PYTHONPATH of a script that is watched.
  [[nodiscard]] std::filesystem::path hook() const { return folder_.path() / "feedrate" / "hook"; }
  [[nodiscard]] std::filesystem::path script() const {
    return folder_.path() / "feedrate_child.py";
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace feedrate
