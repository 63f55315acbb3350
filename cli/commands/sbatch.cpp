// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/sbatch.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "cli/commands/carried_files.h"
#include "core/error.h"

namespace feedrate {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// Letters of the C locale, regardless of the current one.
bool is_one_of(char c, std::string_view others) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         others.find(c) != std::string_view::npos;
}

// Slurm uses the name in file names, and squeue in a column.
std::string job_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_one_of(c, "._-"); }, '_');
  return name;
}

std::string one_line(std::string text) {
  std::replace_if(text.begin(), text.end(), is_control, ' ');
  return text;
}

std::string clock_time(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::ceil(seconds));
  return fmt::format("{:02}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string with_arguments(std::string_view script, const std::vector<std::string>& arguments) {
  const std::size_t body = script.find("\n\n") + 2;
  std::string text;
  for (std::size_t begin = 0, end = 0; begin < body - 1; begin = end + 1) {
    end = script.find('\n', begin);
    const std::string_view line = script.substr(begin, end - begin);
    if (line.starts_with("#!") || line.starts_with("#SBATCH")) text += fmt::format("{}\n", line);
  }
  text += "\nset --";
  for (const std::string& argument : arguments) text += ' ' + shell_quoted(argument);
  return text + '\n' + std::string(script.substr(body));
}

std::string submit(const std::string& options, std::string_view script,
                   const std::vector<std::string>& arguments) {
  // the quoted word keeps the submitting shell from expanding the script; arguments have no line
  // breaks, so no line can equal it
  return fmt::format("sbatch {} \"$@\" <<'END_OF_SCRIPT'\n{}END_OF_SCRIPT\n", options,
                     with_arguments(find_carried(slurm_scripts(), script, "script"), arguments));
}

std::string sweep_options(const SbatchSweep& sweep) {
  std::string options = fmt::format("--parsable --job-name={} --array=1-{} --cpus-per-task={}",
                                    job_name(sweep.name), sweep.shards, sweep.cpus);
  if (sweep.gpus > 0) options += fmt::format(" --gpus={}", sweep.gpus);
  if (sweep.time_limit) options += fmt::format(" --time={}", clock_time(*sweep.time_limit));
  return options;
}

}  // namespace

std::string shell_quoted(std::string_view text) {
  if (std::any_of(text.begin(), text.end(), is_control)) {
    throw ConfigError(
        fmt::format("\"{}\": has a control character, such as a line break, which a script cannot "
                    "hold; rename it",
                    one_line(std::string(text))));
  }
  const bool is_plain =
      std::all_of(text.begin(), text.end(), [](char c) { return is_one_of(c, "._-/=,:@%+"); });
  if (is_plain && !text.empty()) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += R"('\'')";
    } else {
      quoted += c;
    }
  }
  return quoted + '\'';
}

std::string sbatch_script(const SbatchSweep& sweep) {
  std::vector<std::string> arguments = sweep.arguments;
  arguments.insert(arguments.end(), {"--out", sweep.out});
  std::string text = "#!/bin/bash\n";
  for (const std::string& remark : sweep.remarks) text += fmt::format("# {}\n", one_line(remark));
  text +=
      "# Submit with: bash THIS_FILE [OPTIONS OF sbatch, such as --partition=gpu --account=…]\n"
      "set -euo pipefail\n"
      "\n"
      "sweep=$(";
  text += submit(sweep_options(sweep), "sweep.sbatch", arguments);
  text += ")\n\n";
  text += submit(fmt::format("--job-name={}-merge --dependency=\"afterany:${{sweep%%;*}}\"",
                             job_name(sweep.name)),
                 "merge.sbatch", {sweep.out});
  return text;
}

}  // namespace feedrate
