// Which cores each rank of a node runs on, and how near they are to its GPU.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace feedrate {

/// Numbers of logical CPUs, as of Linux, ascending.
using CpuList = std::vector<int>;

/// "0-3,8"; the other way throws Error where it is none.
[[nodiscard]] std::string format_cpu_list(const CpuList& cpus);
[[nodiscard]] CpuList parse_cpu_list(std::string_view text);

struct PhysicalCore {
  CpuList cpus;  ///< its hardware threads
  int node = 0;  ///< NUMA
};

struct GpuPlace {
  std::string bus_id;       ///< "0000:3b:00.0"
  std::optional<int> node;  ///< NUMA; nothing where the machine does not say
};

/// What of a machine decides where its ranks run.
struct NodeLayout {
  std::vector<PhysicalCore> cores;
  std::vector<GpuPlace> gpus;       ///< in the order of their bus, which is nvidia-smi's
  std::optional<double> cpu_quota;  ///< of control groups, for all ranks together
};

/// From sysfs under `root`. GPUs: those of `gpu_bus_ids` in their order, else NVIDIA's that the bus
/// has. Any thread; what cannot be read is not there.
[[nodiscard]] NodeLayout read_node_layout(const std::filesystem::path& root = "/",
                                          const std::vector<std::string>& gpu_bus_ids = {});

/// none: each rank may use all that it was given. cores: they divide the cores in order. numa: each
/// gets its share of the cores of its GPU's NUMA node; without GPUs ranks go to the nodes in turn,
/// in blocks.
enum class Affinity { none, cores, numa };

[[nodiscard]] std::string_view to_string(Affinity affinity);
/// Throws ConfigError, with the choices.
[[nodiscard]] Affinity parse_affinity(std::string_view text);

struct RankPlacement {
  int local_rank = 0;
  CpuList cpus;
  int cores = 0;           ///< physical ones, of which it has at least a thread
  std::vector<int> nodes;  ///< NUMA nodes of `cpus`
  std::optional<int> gpu;  ///< index in the layout's; local_rank modulo their number
  std::optional<int> gpu_node;
  int usable_cpus = 1;  ///< the number of `cpus`, or its share of the quota if that is less
  /// What may be doubted: cores shared with another rank, a node without cores. Empty if nothing.
  std::string note;
};

/// `allowed` holds the CPUs that each local rank may use now (allowed_cpu_list() of each). Where
/// all are the same they are divided; where they differ the launcher has divided them, and each
/// rank keeps its own: with numa those of its GPU's node, if there are any. REQUIRES: allowed is
/// not empty, nor any of it
[[nodiscard]] std::vector<RankPlacement> place_ranks(const NodeLayout& layout,
                                                     const std::vector<CpuList>& allowed,
                                                     Affinity affinity);

/// A line each: "rank 3  cores 12-15 (4)  NUMA node 0  GPU 3 (node 0)".
[[nodiscard]] std::string describe(const std::vector<RankPlacement>& placements);

/// Of the calling thread. Throws SystemError.
[[nodiscard]] CpuList allowed_cpu_list();

/// Binds the calling thread, and all that it starts from now on. Throws SystemError.
void apply(const RankPlacement& placement);

}  // namespace feedrate
