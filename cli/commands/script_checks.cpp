// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/script_checks.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"

namespace feedrate {
namespace {

constexpr const char* kHasTorch =
    "import importlib.util, sys; sys.exit(3 if importlib.util.find_spec('torch') is None else 0)";

int exit_status_of(const std::string& python, const char* code) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    ::posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  }
  std::string program = python, option = "-c", script = code;
  const std::array<char*, 4> arguments{program.data(), option.data(), script.data(), nullptr};
  pid_t child = -1;
  const int problem =
      ::posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (problem != 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
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
  if (!name.starts_with("python") || exit_status_of(command.front(), kHasTorch) != kHasNone)
    return "";
  return fmt::format(
      "{}: cannot import torch, so nothing was watched; set FEEDRATE_PYTHON to a Python that can",
      command.front());
}

}  // namespace feedrate
