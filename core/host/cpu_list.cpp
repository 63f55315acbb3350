// SPDX-License-Identifier: Apache-2.0
#include "core/host/cpu_list.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <sched.h>

#include "core/error.h"
#include "core/host/text_file.h"

namespace feedrate {
namespace {

constexpr int kMostCpus = 1 << 16;

struct CpuSetFree {
  void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
};
using CpuSet = std::unique_ptr<cpu_set_t, CpuSetFree>;

}  // namespace

std::string format_cpu_list(const CpuList& cpus) {
  std::string text;
  for (std::size_t first = 0; first < cpus.size();) {
    std::size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    text += text.empty() ? "" : ",";
    text += first == last ? fmt::format("{}", cpus[first])
                          : fmt::format("{}-{}", cpus[first], cpus[last]);
    first = last + 1;
  }
  return text;
}

CpuList parse_cpu_list(std::string_view text) {
  std::set<int> cpus;
  std::string_view rest = trimmed(text);
  while (!rest.empty()) {
    const std::string_view range = rest.substr(0, rest.find(','));
    const std::size_t dash = range.find('-');
    const auto first = parse_unsigned(range.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : parse_unsigned(range.substr(dash + 1));
    if (!first || !last || *last < *first || *last >= kMostCpus) {
      throw Error(
          fmt::format("'{}' is not a list of CPUs; must be like 0-3,8", text.substr(0, 60)));
    }
    for (std::uint64_t cpu = *first; cpu <= *last; ++cpu) cpus.insert(static_cast<int>(cpu));
    rest.remove_prefix(std::min(range.size() + 1, rest.size()));
  }
  return {cpus.begin(), cpus.end()};
}

int count_list(std::string_view text) {
  try {
    return static_cast<int>(parse_cpu_list(text).size());
  } catch (const Error&) {
    return 0;
  }
}

CpuList allowed_cpu_list() {
  // The kernel refuses a set smaller than its own with EINVAL.
  for (int bits = CPU_SETSIZE; bits <= kMostCpus; bits *= 2) {
    const CpuSet set(CPU_ALLOC(static_cast<std::size_t>(bits)));
    if (!set) break;
    const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(bits));
    if (::sched_getaffinity(0, size, set.get()) == 0) {
      CpuList cpus;
      for (int cpu = 0; cpu < bits; ++cpu) {
        if (CPU_ISSET_S(static_cast<std::size_t>(cpu), size, set.get())) cpus.push_back(cpu);
      }
      return cpus;
    }
    if (errno != EINVAL) break;
  }
  throw SystemError("CPU affinity", "cannot be read", errno);
}

void bind_to(const CpuList& cpus) {
  const auto bits = static_cast<std::size_t>(std::max(CPU_SETSIZE, cpus.back() + 1));
  const CpuSet set(CPU_ALLOC(bits));
  if (!set) throw SystemError("CPU affinity", "cannot be set", ENOMEM);
  const std::size_t size = CPU_ALLOC_SIZE(bits);
  CPU_ZERO_S(size, set.get());
  for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), size, set.get());
  if (::sched_setaffinity(0, size, set.get()) != 0) {
    throw SystemError(fmt::format("CPUs {}", format_cpu_list(cpus)), "cannot bind to them", errno);
  }
}

}  // namespace feedrate
