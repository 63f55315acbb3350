#include "host/io_counters.h"

#include <cerrno>
#include <string>

#include <fmt/format.h>
#include <sys/resource.h>

#include "core/error.h"
#include "host/text_file.h"

namespace feedrate {
namespace {

std::optional<std::uint64_t> read_bytes_in(const std::filesystem::path& counters) {
  return parse_unsigned(find_field(read_text(counters).value_or(""), "read_bytes"));
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double cpu_seconds_of(int who) {
  rusage usage{};
  if (getrusage(who, &usage) != 0) throw SystemError("CPU time", "cannot be read", errno);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

std::optional<std::uint64_t> storage_read_bytes(const std::filesystem::path& root) {
  return read_bytes_in(root / "proc/self/io");
}

std::optional<std::uint64_t> storage_read_bytes_of(pid_t process) {
  return read_bytes_in(fmt::format("/proc/{}/io", process));
}

double process_cpu_seconds() {
  return cpu_seconds_of(RUSAGE_SELF) + cpu_seconds_of(RUSAGE_CHILDREN);
}

}  // namespace feedrate
