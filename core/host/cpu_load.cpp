// SPDX-License-Identifier: Apache-2.0
#include "core/host/cpu_load.h"

#include <algorithm>

#include <unistd.h>

#include "core/clock.h"
#include "core/host/processes.h"

namespace feedrate {
namespace {

double own_seconds() {
  double sum = 0.0;
  for (const pid_t process : process_tree("/", ::getpid())) {
    sum += cpu_seconds_of(process).value_or(0.0) + ended_children_cpu_seconds_of("/", process);
  }
  return sum;
}

double kernel_seconds() {
  double sum = 0.0;
  for (const pid_t thread : kernel_threads()) sum += cpu_seconds_of(thread).value_or(0.0);
  return sum;
}

CpuTime sum_of(const std::vector<CpuTime>& cpus) {
  CpuTime sum;
  for (const CpuTime& one : cpus) {
    sum.busy += one.busy;
    sum.total += one.total;
    sum.interrupts += one.interrupts;
    sum.stolen += one.stolen;
  }
  return sum;
}

}  // namespace

CpuLoadMark mark_cpu_load(const CpuList& cpus) {
  return {.at = to_seconds(SteadyClock().now()),
          .cpus = read_cpu_times(cpus),
          .online = static_cast<double>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN))),
          .own = own_seconds(),
          .kernel = kernel_seconds()};
}

std::optional<CpuLoad> cpu_load_between(const CpuLoadMark& from, const CpuLoadMark& to) {
  CpuLoad load;
  load.seconds = to.at - from.at;
  load.cpus = static_cast<double>(to.cpus.size());
  const CpuTime before = sum_of(from.cpus), after = sum_of(to.cpus);
  const double capacity = load.cpus * load.seconds;
  const bool counts = from.cpus.size() == to.cpus.size() && after.total > before.total;
  if (!counts || capacity <= 0.0) return std::nullopt;
  // The kernel measures idle time exactly, and samples the other kinds of time
  // (CONFIG_TICK_CPU_ACCOUNTING).
  const double idle = (after.total - after.busy) - (before.total - before.busy);
  const double stolen = after.stolen - before.stolen;
  const double interrupts = after.interrupts - before.interrupts;
  const double kernel = (to.kernel - from.kernel) * std::min(1.0, load.cpus / to.online);
  const double busy = std::clamp(capacity - idle, 0.0, capacity);
  const double rest = busy - stolen - interrupts - (to.own - from.own) - kernel;
  load.busy = busy / load.seconds;
  load.foreign = std::max(0.0, rest) / load.seconds;
  load.stolen = std::max(0.0, stolen) / load.seconds;
  return load;
}

}  // namespace feedrate
