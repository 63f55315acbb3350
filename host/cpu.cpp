#include "host/cpu.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <memory>
#include <string_view>

#include <sched.h>

#include "core/error.h"
#include "host/cgroup.h"
#include "host/text_file.h"

namespace feedrate {
namespace {

struct CpuSetFree {
  void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
};

// "0-3,8,10-11" names seven.
int count_list(std::string_view list) {
  int count = 0;
  while (!list.empty()) {
    const std::string_view range = list.substr(0, list.find(','));
    const std::size_t dash = range.find('-');
    const auto first = parse_unsigned(range.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : parse_unsigned(range.substr(dash + 1));
    constexpr std::uint64_t kMostCpus = 1 << 20;
    if (!first || !last || *last < *first || *last > kMostCpus) return 0;
    count += static_cast<int>(*last - *first + 1);
    list.remove_prefix(std::min(range.size() + 1, list.size()));
  }
  return count;
}

int count_processors(std::string_view cpuinfo) {
  const auto lines = split_lines(cpuinfo);
  return static_cast<int>(std::count_if(lines.begin(), lines.end(), [](std::string_view line) {
    return line.starts_with("processor") && line.find(':') != std::string_view::npos;
  }));
}

// x86 says "model name", POWER "cpu", some ARM boards "Model".
std::string find_model(std::string_view cpuinfo) {
  for (const char* const name : {"model name", "cpu", "Model", "Hardware"}) {
    const std::string_view model = find_field(cpuinfo, name);
    if (!model.empty()) return std::string(model);
  }
  return "";
}

bool has_hypervisor_flag(std::string_view cpuinfo) {
  const auto flags = split_words(find_field(cpuinfo, "flags"));
  return std::find(flags.begin(), flags.end(), "hypervisor") != flags.end();
}

}  // namespace

int allowed_cpus() {
  // The kernel refuses a set smaller than its own with EINVAL.
  for (int bits = CPU_SETSIZE; bits <= (1 << 20); bits *= 2) {
    const std::unique_ptr<cpu_set_t, CpuSetFree> set(CPU_ALLOC(static_cast<std::size_t>(bits)));
    if (!set) break;
    const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(bits));
    if (sched_getaffinity(0, size, set.get()) == 0) return CPU_COUNT_S(size, set.get());
    if (errno != EINVAL) break;
  }
  throw SystemError("CPU affinity", "cannot be read", errno);
}

CpuInfo read_cpu_info(const std::filesystem::path& root, int allowed) {
  const std::string cpuinfo = read_text(root / "proc/cpuinfo").value_or("");
  const std::filesystem::path system = root / "sys/devices/system";
  CpuInfo info;
  info.model = find_model(cpuinfo);
  info.online = count_list(read_trimmed(system / "cpu/online"));
  if (info.online == 0) info.online = std::max(count_processors(cpuinfo), allowed);
  info.allowed = allowed;
  info.cgroup_quota = cgroup_cpu_quota(root);
  info.numa_nodes = std::max(1, count_list(read_trimmed(system / "node/online")));
  info.governor = read_trimmed(system / "cpu/cpu0/cpufreq/scaling_governor");
  info.is_virtual = has_hypervisor_flag(cpuinfo);
  return info;
}

int usable_cpus(const CpuInfo& info) {
  double usable = info.allowed;
  if (info.cgroup_quota) usable = std::min(usable, std::ceil(*info.cgroup_quota));
  return std::max(1, static_cast<int>(usable));
}

int usable_cpus() { return usable_cpus(read_cpu_info()); }

}  // namespace feedrate
