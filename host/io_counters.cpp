#include "host/io_counters.h"

#include <cerrno>
#include <string>

#include <sys/resource.h>

#include "core/error.h"
#include "host/text_file.h"

namespace feedrate {
namespace {

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
  const std::string counters = read_text(root / "proc/self/io").value_or("");
  return parse_unsigned(find_field(counters, "read_bytes"));
}

double process_cpu_seconds() {
  return cpu_seconds_of(RUSAGE_SELF) + cpu_seconds_of(RUSAGE_CHILDREN);
}

}  // namespace feedrate
