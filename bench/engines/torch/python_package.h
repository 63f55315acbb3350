// The Python side of the PyTorch engine, which the program carries with it, as files.
#pragma once
#include <filesystem>
#include <span>
#include <string_view>

namespace feedrate {

struct PythonFile {
  std::string_view path;  ///< relative, "feedrate_torch/child.py"
  std::string_view text;
};

/// Generated from feedrate_child.py and feedrate_torch/ by cmake/embed_files.cmake.
[[nodiscard]] std::span<const PythonFile> python_files();

/// A folder of its own for the files, readable by this user only, removed by the destructor. Files
/// rather than `python -c`, so that tracebacks show their lines and spawned workers can import
/// them.
class PythonPackage {
 public:
  /// Throws SystemError.
  PythonPackage();
  ~PythonPackage();
  PythonPackage(const PythonPackage&) = delete;
  PythonPackage& operator=(const PythonPackage&) = delete;

  [[nodiscard]] std::filesystem::path script() const { return folder_ / "feedrate_child.py"; }

 private:
  std::filesystem::path folder_;
};

}  // namespace feedrate
