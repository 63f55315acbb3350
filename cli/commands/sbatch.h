// SPDX-License-Identifier: Apache-2.0
// A shell script that submits a sweep to Slurm: a job array of its shards, and a job that merges
// them. Pure functions; any thread.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

struct SbatchSweep {
  std::string name;                    ///< of the configuration
  std::vector<std::string> remarks;    ///< stand at the script's head
  std::vector<std::string> arguments;  ///< of `feedrate sweep` but --out: the configuration, …
  std::string out;                     ///< the results folder
  std::size_t shards = 1;
  std::size_t cpus = 1;              ///< of a task
  std::size_t gpus = 0;              ///< of a task; 0: none are asked for
  std::optional<double> time_limit;  ///< seconds; nothing: the partition's
};

/// The batch scripts of scripts/slurm/ with their arguments in them. Whatever comes from outside
/// is quoted for the shell. Throws ConfigError where an argument has a control character, which no
/// line of a script can hold.
[[nodiscard]] std::string sbatch_script(const SbatchSweep& sweep);

/// `text` as one word of a POSIX shell; as it is where no character of it means anything there.
/// Throws ConfigError for a control character.
[[nodiscard]] std::string shell_quoted(std::string_view text);

}  // namespace feedrate
