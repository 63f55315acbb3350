// SPDX-License-Identifier: Apache-2.0
// Runs the real program as a child: its output, exit code, and signals. One thread. The compile
// definition FEEDRATE_BINARY is its path.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace feedrate::testing {

struct ChildSetup {
  std::filesystem::path folder;                    ///< working directory
  std::optional<std::uint64_t> largest_file = {};  ///< file size limit: simulates a full disk
  std::string stdout_to = {};                      ///< a file for stdout instead of the pipe
  std::function<bool()> before_exec = {};          ///< runs in the child; false: do not start
};

struct Finished {
  int exit_code = -1;  ///< 128 + n: killed by signal n
  std::string out;
  std::string err;
};

/// The constructor starts the child; the destructor kills it if it still runs.
class FeedrateChild {
 public:
  /// `line` is the command line without the program's name, split at spaces.
  FeedrateChild(std::string_view line, const ChildSetup& setup);
  FeedrateChild(const FeedrateChild&) = delete;
  FeedrateChild& operator=(const FeedrateChild&) = delete;
  ~FeedrateChild();

  /// Reads the child's output until `condition` holds; returns false if the child ends before.
  /// Kills the child after a long timeout.
  [[nodiscard]] bool wait_until(const std::function<bool()>& condition);
  [[nodiscard]] bool wait_for_error_text(std::string_view text);
  [[nodiscard]] const std::string& error_text() const noexcept { return finished_.err; }
  void send(int signal) const;
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  [[nodiscard]] Finished wait();

 private:
  void close_pipes();
  void read_some();
  void reap();

  Finished finished_;
  pid_t pid_ = -1;  // -1: it has ended
  int out_ = -1;
  int err_ = -1;
};

[[nodiscard]] Finished run_feedrate(std::string_view line, const ChildSetup& setup);

}  // namespace feedrate::testing
