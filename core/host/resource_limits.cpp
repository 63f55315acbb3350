// SPDX-License-Identifier: Apache-2.0
#include "core/host/resource_limits.h"

#include <cerrno>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

namespace feedrate {
namespace {

std::string limit_text(__rlimit_resource resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return "unknown";
  if (limit.rlim_cur == RLIM_INFINITY) return "unlimited";
  return std::to_string(limit.rlim_cur);
}

double mebibytes(unsigned long blocks, unsigned long block_bytes) {
  return static_cast<double>(blocks) * static_cast<double>(block_bytes) / (1 << 20);
}

}  // namespace

std::string descriptor_limit_hint() {
  return fmt::format(
      "RLIMIT_NOFILE is {}; each worker needs one descriptor, and with transport fresh each batch "
      "needs two: raise it (ulimit -n), use fewer workers, or transport file_system",
      limit_text(RLIMIT_NOFILE));
}

std::string process_limit_hint() {
  return fmt::format(
      "RLIMIT_NPROC is {}: raise it (ulimit -u), or pids.max of the cgroup, or use fewer workers",
      limit_text(RLIMIT_NPROC));
}

std::string shared_memory_hint() {
  constexpr auto kCure =
      "enlarge it (docker run --shm-size, or mount -o remount,size=... /dev/shm), use fewer "
      "workers, or a smaller prefetch_factor or batch_size";
  struct statvfs status {};
  if (::statvfs("/dev/shm", &status) != 0) return fmt::format("/dev/shm may be full; {}", kCure);
  return fmt::format("/dev/shm has {:.1f} MiB, {:.1f} MiB free: {}",
                     mebibytes(status.f_blocks, status.f_frsize),
                     mebibytes(status.f_bavail, status.f_frsize), kCure);
}

std::string hint_for(int error_number) {
  switch (error_number) {
    case EMFILE:
    case ETOOMANYREFS:  // More descriptors in flight than RLIMIT_NOFILE allows.
      return fmt::format(" ({})", descriptor_limit_hint());
    case EAGAIN:
      return fmt::format(" ({})", process_limit_hint());
    case ENOSPC:
      return fmt::format(" ({})", shared_memory_hint());
    default:
      return {};
  }
}

}  // namespace feedrate
