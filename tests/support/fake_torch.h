// SPDX-License-Identifier: Apache-2.0
// A real Python with feedrate's package and an empty module in place of torch.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "tests/support/scoped_variable.h"
#include "tests/support/temp_folder.h"

namespace feedrate::testing {

class FakeTorch {
 public:
  static constexpr const char* kPython = "/usr/bin/python3";

  FakeTorch() {
    std::filesystem::create_directories(folder_ / "torch/utils/data");
    add("torch/__init__", "__version__ = '9.9'");
    add("torch/utils/__init__", "");
    add("torch/utils/data/__init__", "");
  }

  [[nodiscard]] static bool is_possible() { return ::access(kPython, X_OK) == 0; }

  void add(std::string_view module, std::string_view text) const {
    write_file(folder_ / fmt::format("{}.py", module), fmt::format("{}\n", text));
  }

  [[nodiscard]] const TempFolder& folder() const { return folder_; }

 private:
  TempFolder folder_;
  ScopedVariable path_{"PYTHONPATH", folder_.path().string()};
};

}  // namespace feedrate::testing
