// SPDX-License-Identifier: Apache-2.0
// Makes a shell script that submits a sweep to Slurm: a job array of its shards, and a job that
// merges them. Pure functions; any thread.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

struct SbatchSweep {
  std::string name;                    ///< the configuration's
  std::vector<std::string> remarks;    ///< comments at the head of the script
  std::vector<std::string> arguments;  ///< arguments of `feedrate sweep` except --out
  std::string out;                     ///< the results folder
  std::size_t shards = 1;
  std::size_t cpus = 1;              ///< per task
  std::size_t gpus = 0;              ///< per task; 0: none requested
  std::optional<double> time_limit;  ///< seconds; nothing: the partition's limit
};

/// The batch scripts of scripts/slurm/ with their arguments inserted. All values are quoted for the
/// shell. Throws ConfigError if an argument has a control character, which a line of a script
/// cannot contain.
[[nodiscard]] std::string sbatch_script(const SbatchSweep& sweep);

/// `text` as one word of a POSIX shell, quoted only if necessary. Throws ConfigError for a control
/// character.
[[nodiscard]] std::string shell_quoted(std::string_view text);

}  // namespace feedrate
