// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/script_checks.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "core/host/process.h"

namespace feedrate {
namespace {

constexpr const char* kHasTorch =
    "import importlib.util, sys; sys.exit(3 if importlib.util.find_spec('torch') is None else 0)";

// The exit code of a Python that prints nothing; -1 if it cannot be started or was killed.
int exit_code_of(const std::string& python, const std::string& code) try {
  ChildProcess child(
      {.words = {python, "-c", code},
       .descriptors = {{kNull, STDIN_FILENO}, {kNull, STDOUT_FILENO}, {kNull, STDERR_FILENO}}});
  child.wait();
  const int status = child.end();
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
} catch (const Error&) {
  return -1;
}

}  // namespace

bool is_for_python(const std::vector<std::string>& command) {
  const std::string& word = command.front();
  return word.ends_with(".py") || word == "-m" || word == "-c";
}

void require_script(const std::vector<std::string>& command) {
  const std::string& script = command.front();
  if (!script.ends_with(".py")) return;
  std::error_code ignored;
  if (!std::filesystem::exists(script, ignored)) {
    throw ConfigError(fmt::format("{}: does not exist; give the path of the script", script));
  }
}

std::vector<std::string> misplaced_options(const std::vector<std::string>& command) {
  constexpr std::array<std::string_view, 4> kOptions{"--tune", "--until-decided", "--json",
                                                     "--force"};
  std::vector<std::string> misplaced;
  for (const std::string& word : command) {
    const bool is_one = std::find(kOptions.begin(), kOptions.end(), word) != kOptions.end();
    if (is_one) misplaced.push_back(word);
  }
  return misplaced;
}

std::string why_without_torch(const std::vector<std::string>& command) {
  constexpr int kHasNone = 3;
  const std::string name = std::filesystem::path(command.front()).filename();
  if (!name.starts_with("python") || exit_code_of(command.front(), kHasTorch) != kHasNone)
    return "";
  return fmt::format(
      "{}: cannot import torch, so nothing was watched; set FEEDRATE_PYTHON to a Python that can",
      command.front());
}

}  // namespace feedrate
