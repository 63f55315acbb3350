// SPDX-License-Identifier: Apache-2.0
#include "bench/ranks/launch.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "core/error.h"
#include "core/host/text_file.h"

namespace feedrate {
namespace {

constexpr int kMostRanks = 1 << 16;
constexpr std::uint64_t kMostFileNumber = 1 << 30;
// Slurm numbers its own steps, such as a batch script's, down from the largest number.
constexpr std::uint64_t kFirstSpecialStep = 4'294'967'280;

class LaunchVariables {
 public:
  explicit LaunchVariables(const EnvironmentLookup& lookup) : lookup_(lookup) {}

  [[nodiscard]] bool has(const char* name) const { return text(name).has_value(); }

  /// An empty variable counts as unset.
  [[nodiscard]] std::optional<std::string> text(const char* name) const {
    auto value = lookup_(name);
    if (value && value->empty()) return std::nullopt;
    return value;
  }

  [[nodiscard]] std::optional<int> number(const char* name, int least, int most) const {
    const auto value = text(name);
    if (!value) return std::nullopt;
    const auto number = parse_unsigned(*value);
    if (!number || *number > static_cast<std::uint64_t>(most) ||
        *number < static_cast<std::uint64_t>(least)) {
      throw ConfigError(fmt::format("{}={}: must be a number from {} to {}", name,
                                    value->substr(0, 60), least, most));
    }
    return static_cast<int>(*number);
  }

  [[nodiscard]] int required(const char* name, int least, int most, const char* given) const {
    if (const auto value = number(name, least, most)) return *value;
    throw ConfigError(
        fmt::format("{}: is not set, though {} is; a launcher of ranks sets both", name, given));
  }

 private:
  const EnvironmentLookup& lookup_;
};

struct Names {
  Launcher launcher;
  const char* rank;
  const char* size;
  const char* local_rank;
  const char* local_size;
};

// Innermost launcher first: nested launchers all leave their variables.
constexpr Names kOwn{Launcher::own, "FEEDRATE_RANK", "FEEDRATE_RANKS", "FEEDRATE_LOCAL_RANK",
                     "FEEDRATE_LOCAL_RANKS"};
constexpr Names kTorchrun{Launcher::torchrun, "RANK", "WORLD_SIZE", "LOCAL_RANK",
                          "LOCAL_WORLD_SIZE"};
constexpr Names kOpenMpi{Launcher::open_mpi, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                         "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"};
constexpr Names kHydra{Launcher::hydra, "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID",
                       "MPI_LOCALNRANKS"};
constexpr Names kSlurm{Launcher::slurm, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID",
                       "SLURM_STEP_TASKS_PER_NODE"};
constexpr Names kPmi{Launcher::pmi, "PMI_RANK", "PMI_SIZE", nullptr, nullptr};
constexpr std::array kInnermostFirst{kOwn, kTorchrun, kOpenMpi, kHydra, kSlurm, kPmi};

bool is_task_of_srun(const LaunchVariables& variables) {
  const auto step = variables.text("SLURM_STEP_ID");
  const auto number = step ? parse_unsigned(*step) : std::nullopt;
  return number && *number < kFirstSpecialStep && variables.has("SLURM_PROCID");
}

bool has_launched(const LaunchVariables& variables, const Names& names) {
  switch (names.launcher) {
    case Launcher::slurm:
      return is_task_of_srun(variables);
    case Launcher::pmi:
      return variables.has("PMI_RANK") && variables.has("PMI_SIZE");
    case Launcher::hydra:
      return variables.has("PMI_RANK") && variables.has("MPI_LOCALRANKID");
    case Launcher::torchrun:  // Many batch scripts export WORLD_SIZE alone, for Python.
      return variables.has("RANK") && variables.has("WORLD_SIZE");
    default:
      return variables.has(names.rank) || variables.has(names.size);
  }
}

int local_size_of(const LaunchVariables& variables, const Names& names) {
  if (names.launcher != Launcher::slurm) {
    return variables.required(names.local_size, 1, kMostRanks, names.rank);
  }
  const auto list = variables.text(names.local_size);
  const int node = variables.number("SLURM_NODEID", 0, kMostRanks).value_or(0);
  const auto tasks = slurm_tasks_of_node(list.value_or(""), static_cast<std::uint64_t>(node));
  if (tasks) return *tasks;
  throw ConfigError(
      fmt::format("{}={}: does not list the number of tasks of node {} (SLURM_NODEID)",
                  names.local_size, list.value_or("").substr(0, 60), node));
}

void require_below(const char* name, int value, const char* bound_name, int bound) {
  if (value < bound) return;
  throw ConfigError(
      fmt::format("{}={}: must be less than {}, which is {}", name, value, bound_name, bound));
}

Launch read_set(const LaunchVariables& variables, const Names& names) {
  Launch launch;
  launch.launcher = names.launcher;
  launch.size = variables.required(names.size, 1, kMostRanks, names.rank);
  launch.rank = variables.required(names.rank, 0, kMostRanks, names.size);
  require_below(names.rank, launch.rank, names.size, launch.size);
  if (names.local_rank == nullptr) {
    if (launch.size == 1) return launch;
    throw ConfigError(
        fmt::format("{}={} and {}={}: no variable says which ranks share a node; set RANK, "
                    "WORLD_SIZE, LOCAL_RANK "
                    "and LOCAL_WORLD_SIZE in each, as torchrun does",
                    names.rank, launch.rank, names.size, launch.size));
  }
  launch.local_size = local_size_of(variables, names);
  launch.local_rank = variables.required(names.local_rank, 0, kMostRanks, names.rank);
  require_below(names.local_rank, launch.local_rank, names.local_size, launch.local_size);
  if (launch.local_size > launch.size) {
    throw ConfigError(
        fmt::format("{}: says that {} ranks are on this node, and {}={} that there "
                    "are fewer in all",
                    names.local_size, launch.local_size, names.size, launch.size));
  }
  return launch;
}

void require_same(const LaunchVariables& variables, const Names& one, const Names& other) {
  const std::array pairs{std::pair(one.rank, other.rank), std::pair(one.size, other.size)};
  for (const auto& [name, other_name] : pairs) {
    const auto value = variables.number(name, 0, kMostRanks);
    const auto other_value = variables.number(other_name, 0, kMostRanks);
    if (!value || !other_value || *value == *other_value) continue;
    throw ConfigError(
        fmt::format("{}={} and {}={}: contradict each other; unset the ones that are not this "
                    "start's",
                    name, *value, other_name, *other_value));
  }
}

// Variables of launchers that do not nest must agree: RANK set by hand with any launcher's, and
// mpirun's with Hydra's for one process.
void check_contradictions(const LaunchVariables& variables, Launcher innermost) {
  const bool by_agent = variables.has("TORCHELASTIC_RUN_ID");
  if (innermost == Launcher::torchrun && !by_agent) {
    for (const Names& other : {kOpenMpi, kHydra, kSlurm}) {
      if (has_launched(variables, other)) return require_same(variables, kTorchrun, other);
    }
  }
  if (innermost == Launcher::open_mpi && has_launched(variables, kHydra)) {
    require_same(variables, kOpenMpi, kHydra);
  }
  if (innermost == Launcher::slurm && has_launched(variables, kPmi)) {
    require_same(variables, kSlurm, kPmi);
  }
}

// Replaces characters that a file name may not have, and truncates.
std::string clean(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char c) {
        return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '.' || c == '-');
      },
      '_');
  constexpr std::size_t kLongest = 100;
  return text.substr(0, kLongest);
}

std::string slurm_job(const LaunchVariables& variables, const EnvironmentLookup& lookup) {
  const std::string job = slurm_job_id(lookup);
  if (job.empty()) return "";
  return fmt::format("slurm-{}.{}-{}", job, variables.text("SLURM_STEP_ID").value_or("batch"),
                     variables.text("SLURM_RESTART_COUNT").value_or("0"));
}

std::string job_of(Launcher launcher, const LaunchVariables& variables,
                   const EnvironmentLookup& lookup) {
  switch (launcher) {
    case Launcher::open_mpi:
      if (const auto job = variables.text("PMIX_NAMESPACE")) return "mpirun-" + *job;
      if (const auto job = variables.text("OMPI_MCA_ess_base_jobid")) return "mpirun-" + *job;
      break;
    case Launcher::torchrun:
      return fmt::format("torchrun-{}-{}-{}-{}", variables.text("MASTER_ADDR").value_or(""),
                         variables.text("MASTER_PORT").value_or(""),
                         variables.text("TORCHELASTIC_RUN_ID").value_or(""),
                         variables.text("TORCHELASTIC_RESTART_COUNT").value_or(""));
    default:
      break;
  }
  return slurm_job(variables, lookup);
}

// Parses a list such as "5 7".
std::vector<int> inherited_numbers(const LaunchVariables& variables) {
  std::vector<int> numbers;
  const std::string list = variables.text("FEEDRATE_RANK_SOCKETS").value_or("");
  for (const std::string_view word : split_words(list)) {
    const auto number = parse_unsigned(word);
    if (!number || *number > kMostFileNumber) {
      throw ConfigError(fmt::format(
          "FEEDRATE_RANK_SOCKETS={}: must be numbers of open files; only feedrate sets it",
          list.substr(0, 60)));
    }
    numbers.push_back(static_cast<int>(*number));
  }
  return numbers;
}

std::string this_host() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

}  // namespace

std::string_view to_string(Launcher launcher) {
  switch (launcher) {
    case Launcher::own:
      return "feedrate";
    case Launcher::torchrun:
      return "torchrun";
    case Launcher::open_mpi:
      return "mpirun (Open MPI)";
    case Launcher::hydra:
      return "mpiexec (Hydra)";
    case Launcher::slurm:
      return "srun";
    case Launcher::pmi:
      return "PMI";
    case Launcher::none:
      break;
  }
  return "no launcher";
}

Launch read_launch(const EnvironmentLookup& lookup, std::string host_name) {
  const LaunchVariables variables(lookup);
  const auto* const names =
      std::find_if(kInnermostFirst.begin(), kInnermostFirst.end(),
                   [&](const Names& set) { return has_launched(variables, set); });
  Launch launch;
  if (names != kInnermostFirst.end()) {
    check_contradictions(variables, names->launcher);
    launch = read_set(variables, *names);
  }
  launch.node = variables.text("SLURMD_NODENAME").value_or("");
  if (launch.node.empty()) launch.node = host_name.empty() ? this_host() : std::move(host_name);
  launch.job = clean(job_of(launch.launcher, variables, lookup));
  if (launch.launcher == Launcher::own) launch.sockets = inherited_numbers(variables);
  return launch;
}

}  // namespace feedrate
