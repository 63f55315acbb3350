// SPDX-License-Identifier: Apache-2.0
// A shell script in place of Python: simulates faults of a child process without torch.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "tests/support/temp_folder.h"

namespace feedrate::testing {

class FakePython {
 public:
  /// sh runs `body`, which may use three functions: `say JSON` sends a message, `hear` waits for an
  /// `answer`, `job` reads the job.
  explicit FakePython(std::string_view body) {
    namespace fs = std::filesystem;
    write_file(path(), fmt::format("#!/bin/sh\n"
                                   "say() {{ printf '%s\\n' \"$1\" >&3; }}\n"
                                   "hear() {{ read -r answer <&3 || exit 9; }}\n"
                                   "job() {{ read -r line <&3; }}\n"
                                   "{}\n",
                                   body));
    fs::permissions(path(), fs::perms::owner_all);
  }

  [[nodiscard]] std::filesystem::path path() const { return folder_ / "python3"; }
  [[nodiscard]] std::filesystem::path folder() const { return folder_.path(); }

 private:
  TempFolder folder_;
};

}  // namespace feedrate::testing
