// What Slurm tells its jobs. Any thread, as long as nobody changes the environment meanwhile.
#pragma once
#include <functional>
#include <optional>
#include <string>

namespace feedrate {

/// An environment variable by name; nothing where it is not set.
using EnvironmentLookup = std::function<std::optional<std::string>(const std::string&)>;

/// The lookup in this process's own environment.
[[nodiscard]] std::optional<std::string> environment_variable(const std::string& name);

/// "4711", "4711_3" for a task of an array as squeue shows it, empty outside Slurm.
[[nodiscard]] std::string slurm_job_id(const EnvironmentLookup& lookup = environment_variable);

/// Slurm's name of this node, the host's outside Slurm.
[[nodiscard]] std::string node_name(const EnvironmentLookup& lookup = environment_variable);

}  // namespace feedrate
