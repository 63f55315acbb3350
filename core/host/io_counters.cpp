// SPDX-License-Identifier: Apache-2.0
#include "core/host/io_counters.h"

#include <cerrno>
#include <string>

#include <fmt/format.h>
#include <sys/resource.h>

#include "core/error.h"
#include "core/host/text_file.h"

namespace feedrate {
namespace {

std::optional<std::uint64_t> counter_in(const std::filesystem::path& counters,
                                        std::string_view name) {
  return parse_unsigned(find_field(read_text(counters).value_or(""), name));
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double usage_seconds(int who) {
  rusage usage{};
  if (getrusage(who, &usage) != 0) throw SystemError("CPU time", "cannot be read", errno);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

std::optional<std::uint64_t> storage_read_bytes(const std::filesystem::path& root) {
  return counter_in(root / "proc/self/io", "read_bytes");
}

std::optional<std::uint64_t> storage_read_bytes_of(pid_t process) {
  return counter_in(fmt::format("/proc/{}/io", process), "read_bytes");
}

std::optional<std::uint64_t> storage_bytes_of(pid_t process) {
  const std::string counters = read_text(fmt::format("/proc/{}/io", process)).value_or("");
  const auto read = parse_unsigned(find_field(counters, "read_bytes"));
  const auto written = parse_unsigned(find_field(counters, "write_bytes"));
  return read && written ? std::optional(*read + *written) : std::nullopt;
}

std::optional<std::uint64_t> called_read_bytes(const std::filesystem::path& root) {
  return counter_in(root / "proc/self/io", "rchar");
}

std::optional<std::uint64_t> called_read_bytes_of(pid_t process) {
  return counter_in(fmt::format("/proc/{}/io", process), "rchar");
}

double process_cpu_seconds() { return usage_seconds(RUSAGE_SELF) + usage_seconds(RUSAGE_CHILDREN); }

}  // namespace feedrate
