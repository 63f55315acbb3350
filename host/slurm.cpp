#include "host/slurm.h"

#include <array>
#include <climits>
#include <cstdlib>

#include <unistd.h>

namespace feedrate {

std::optional<std::string> environment_variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

std::string slurm_job_id(const EnvironmentLookup& lookup) {
  const auto array = lookup("SLURM_ARRAY_JOB_ID");
  const auto task = lookup("SLURM_ARRAY_TASK_ID");
  if (array && task) return *array + "_" + *task;
  for (const char* const name : {"SLURM_JOB_ID", "SLURM_JOBID"}) {
    if (const auto job = lookup(name)) return *job;
  }
  return "";
}

std::string node_name(const EnvironmentLookup& lookup) {
  if (const auto node = lookup("SLURMD_NODENAME")) return *node;
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace feedrate
