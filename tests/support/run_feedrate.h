// SPDX-License-Identifier: Apache-2.0
// The real program, run as a child: its output, its exit code, signals sent to it. One thread.
// The path of the program comes by the compile definition FEEDRATE_BINARY.
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
  std::filesystem::path folder;                    ///< its working directory
  std::optional<std::uint64_t> largest_file = {};  ///< no file of its may grow beyond: a full disk
  std::string stdout_to = {};                      ///< a file instead of the pipe
  std::function<bool()> before_exec = {};          ///< runs in the child; false: it cannot start
};

struct Finished {
  int exit_code = -1;  ///< 128 + n: ended by signal n
  std::string out;
  std::string err;
};

/// Starts with the constructor; a child that still runs in the destructor is killed.
class FeedrateChild {
 public:
  /// `line` is the command line without the program's name, split at spaces.
  FeedrateChild(std::string_view line, const ChildSetup& setup);
  FeedrateChild(const FeedrateChild&) = delete;
  FeedrateChild& operator=(const FeedrateChild&) = delete;
  ~FeedrateChild();

  /// Reads its output until `condition`, false if it ends before. Kills it after a generous limit.
  [[nodiscard]] bool wait_until(const std::function<bool()>& condition);
  [[nodiscard]] bool wait_for_error_text(std::string_view text);
  /// What it said so far.
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
