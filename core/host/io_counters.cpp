// SPDX-License-Identifier: Apache-2.0
#include "core/host/io_counters.h"

#include <cerrno>
#include <string>

#include <sys/resource.h>

#include "core/error.h"
#include "core/host/text_file.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> counter_of(pid_t process, std::string_view name,
                                        const fs::path& root) {
  const fs::path file = root / "proc" / std::to_string(process) / "io";
  return parse_unsigned(find_field(read_text(file).value_or(""), name));
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

std::optional<std::uint64_t> storage_read_bytes_of(pid_t process, const fs::path& root) {
  return counter_of(process, "read_bytes", root);
}

std::optional<std::uint64_t> storage_bytes_of(pid_t process) {
  const auto read = counter_of(process, "read_bytes", "/");
  const auto written = counter_of(process, "write_bytes", "/");
  return read && written ? std::optional(*read + *written) : std::nullopt;
}

std::optional<std::uint64_t> called_read_bytes_of(pid_t process, const fs::path& root) {
  return counter_of(process, "rchar", root);
}

double process_cpu_seconds() { return usage_seconds(RUSAGE_SELF) + usage_seconds(RUSAGE_CHILDREN); }

}  // namespace feedrate
