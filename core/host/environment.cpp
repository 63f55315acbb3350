// SPDX-License-Identifier: Apache-2.0
#include "core/host/environment.h"

#include <cstdlib>

#include <fmt/format.h>

#include "core/error.h"
#include "core/host/text_file.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

// The line looks like PRETTY_NAME="Debian GNU/Linux 12 (bookworm)".
std::string os_name(const fs::path& root) {
  const std::string text = read_text(root / "etc/os-release").value_or("");
  constexpr std::string_view kKey = "PRETTY_NAME=";
  for (std::string_view line : split_lines(text)) {
    if (!line.starts_with(kKey)) continue;
    line.remove_prefix(kKey.size());
    if (line.size() >= 2 && line.front() == '"' && line.back() == '"') {
      line = line.substr(1, line.size() - 2);
    }
    return std::string(line);
  }
  return "";
}

std::optional<StorageInfo> storage_of(const fs::path& dataset, const fs::path& root) {
  if (dataset.empty()) return std::nullopt;
  try {
    return read_storage_info(dataset, root);
  } catch (const SystemError&) {
    return std::nullopt;  // The run itself reports the error of the dataset's path.
  }
}

std::string bytes_text(std::uint64_t bytes) {
  const auto number = static_cast<double>(bytes);
  return bytes >= 1'000'000'000 ? fmt::format("{:.1f} GB", number / 1e9)
                                : fmt::format("{:.1f} MB", number / 1e6);
}

class FactList {
 public:
  void add(const char* name, std::string value) {
    if (!value.empty()) facts_.push_back({name, std::move(value)});
  }
  void add_bytes(const char* name, const std::optional<std::uint64_t>& bytes) {
    if (bytes) add(name, bytes_text(*bytes));
  }
  [[nodiscard]] std::vector<HostFact> take() { return std::move(facts_); }

 private:
  std::vector<HostFact> facts_;
};

void add_cpu(const CpuInfo& cpu, FactList& facts) {
  facts.add("cpu_model", cpu.model);
  facts.add("cpus_online", fmt::format("{}", cpu.online));
  facts.add("cpus_allowed", fmt::format("{}", cpu.allowed));
  facts.add("cgroup_cpu_quota", cpu.cgroup_quota ? fmt::format("{}", *cpu.cgroup_quota) : "none");
  facts.add("cpus_usable", fmt::format("{}", usable_cpus(cpu)));
  facts.add("numa_nodes", fmt::format("{}", cpu.numa_nodes));
  facts.add("cpu_governor", cpu.governor);
  facts.add("virtual_machine", cpu.is_virtual ? "yes" : "no");
}

void add_memory(const MemoryInfo& memory, FactList& facts) {
  if (memory.total > 0) {
    facts.add_bytes("memory_total", memory.total);
    facts.add_bytes("memory_available", memory.available);
  }
  facts.add("cgroup_memory_limit", memory.cgroup_limit ? bytes_text(*memory.cgroup_limit) : "none");
  facts.add_bytes("dev_shm", memory.shm_size);
  facts.add_bytes("dev_shm_free", memory.shm_free);
}

void add_storage(const StorageInfo& storage, FactList& facts) {
  const std::string device = storage.device.empty() ? "" : " on " + storage.device;
  facts.add("storage", fmt::format("{}{}{}", storage.file_system, device,
                                   storage.is_network ? " (network)" : ""));
  facts.add_bytes("storage_free", storage.free_bytes);
}

class WarningList {
 public:
  template <typename... Values>
  void add_if(bool applies, fmt::format_string<const Values&...> text, const Values&... values) {
    if (applies) warnings_.push_back(fmt::format(text, values...));
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(warnings_); }

 private:
  std::vector<std::string> warnings_;
};

void warn_about_cpu(const HostState& state, WarningList& warnings) {
  const CpuInfo& cpu = state.cpu;
  warnings.add_if(cpu.allowed < cpu.online,
                  "This process may use only {} of the machine's {} CPUs; others may use the rest.",
                  cpu.allowed, cpu.online);
  const double quota = cpu.cgroup_quota.value_or(cpu.allowed);
  warnings.add_if(quota < cpu.allowed,
                  "A cgroup quota limits this process to {:.3g} CPUs: bursts are throttled.",
                  quota);
  warnings.add_if(!cpu.governor.empty() && cpu.governor != "performance",
                  "The CPU frequency governor is \"{}\", not \"performance\": the clock may change "
                  "during a run.",
                  cpu.governor);
  warnings.add_if(cpu.is_virtual,
                  "This is a virtual machine: its CPUs and storage may be shared with others.");
}

void warn_about_memory(const MemoryInfo& memory, WarningList& warnings) {
  constexpr std::uint64_t kEnough = std::uint64_t{1} << 30;
  warnings.add_if(
      memory.may_grow,
      "This virtual machine's memory may grow: cells may use more than the available {}, "
      "and fail if it does not grow.",
      bytes_text(memory.available));
  warnings.add_if(
      !memory.shm_size,
      "/dev/shm does not exist; loaders with worker processes need it to pass batches.");
  const std::uint64_t size = memory.shm_size.value_or(kEnough);
  warnings.add_if(size < kEnough,
                  "/dev/shm has only {}; loaders with worker processes pass batches through it.",
                  bytes_text(size));
}

void warn_about_storage(const StorageInfo& storage, WarningList& warnings) {
  warnings.add_if(storage.is_network,
                  "The dataset is on a network file system ({}): its speed depends on other users, "
                  "and its servers have their own caches.",
                  storage.file_system);
}

bool is_unoptimized(const std::string& build_type) {
  return build_type.empty() || build_type == "Debug";
}

}  // namespace

HostState read_host_state(const fs::path& dataset, BuildInfo build, const fs::path& root) {
  HostState state;
  state.host_name = read_trimmed(root / "proc/sys/kernel/hostname");
  state.kernel = read_trimmed(root / "proc/sys/kernel/osrelease");
  state.os = os_name(root);
  state.cpu = read_cpu_info(root);
  state.memory = read_memory_info(root);
  state.storage = storage_of(dataset, root);
  state.build = std::move(build);
  const char* const threads = std::getenv("OMP_NUM_THREADS");
  state.omp_num_threads = threads == nullptr ? "unset" : threads;
  return state;
}

std::vector<HostFact> host_facts(const HostState& state) {
  FactList facts;
  facts.add("host_name", state.host_name);
  facts.add("kernel", state.kernel);
  facts.add("os", state.os);
  add_cpu(state.cpu, facts);
  facts.add("omp_num_threads", state.omp_num_threads);
  add_memory(state.memory, facts);
  if (state.storage) add_storage(*state.storage, facts);
  facts.add("build_type", state.build.build_type);
  facts.add("compiler", state.build.compiler);
  return facts.take();
}

std::vector<std::string> host_warnings(const HostState& state) {
  WarningList warnings;
  warnings.add_if(is_unoptimized(state.build.build_type),
                  "This program was built without optimization: build it with the release preset.");
  warn_about_cpu(state, warnings);
  warn_about_memory(state.memory, warnings);
  if (state.storage) warn_about_storage(*state.storage, warnings);
  return warnings.take();
}

}  // namespace feedrate
