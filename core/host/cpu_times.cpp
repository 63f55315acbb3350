// SPDX-License-Identifier: Apache-2.0
#include "core/host/cpu_times.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <unistd.h>

#include "core/host/text_file.h"

namespace feedrate {
namespace {

constexpr std::string_view kPrefix = "cpu";

// A line is "cpu3 user nice system idle iowait irq softirq steal …" in ticks (proc(5)). The later
// fields, guest times, are part of user and nice.
std::optional<CpuTime> parse_cpu(std::string_view line, double ticks_per_second) {
  const std::vector<std::string_view> words = split_words(line);
  constexpr std::size_t kFields = 9;
  if (words.size() < kFields || words[0].size() == kPrefix.size()) return std::nullopt;
  const auto number = parse_unsigned(words[0].substr(kPrefix.size()));
  if (!number) return std::nullopt;
  CpuTime time{.cpu = static_cast<int>(*number)};
  for (std::size_t i = 1; i < kFields; ++i) {
    const double seconds =
        static_cast<double>(parse_unsigned(words[i]).value_or(0)) / ticks_per_second;
    constexpr std::size_t kIdle = 4;
    constexpr std::size_t kWaiting = 5;
    constexpr std::size_t kHard = 6;
    constexpr std::size_t kSoft = 7;
    constexpr std::size_t kStolen = 8;
    time.total += seconds;
    if (i != kIdle && i != kWaiting) time.busy += seconds;
    if (i == kHard || i == kSoft) time.interrupts += seconds;
    if (i == kStolen) time.stolen = seconds;
  }
  return time;
}

}  // namespace

std::vector<CpuTime> read_cpu_times(const CpuList& cpus, const std::filesystem::path& root) {
  const auto ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const std::string text = read_text(root / "proc/stat").value_or("");
  std::vector<CpuTime> times;
  for (const std::string_view line : split_lines(text)) {
    if (!line.starts_with(kPrefix)) break;  // The lines of CPUs come first.
    const std::optional<CpuTime> time = parse_cpu(line, ticks_per_second);
    const bool is_wanted =
        time && (cpus.empty() || std::find(cpus.begin(), cpus.end(), time->cpu) != cpus.end());
    if (is_wanted) times.push_back(*time);
  }
  return times;
}

}  // namespace feedrate
