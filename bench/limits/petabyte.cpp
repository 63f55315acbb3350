#include "bench/limits/petabyte.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/format.h"

namespace feedrate {
namespace {

struct Link {
  const char* name;
  double bytes_per_second;
};

// What is left of the line's rate for data, as courses teach it.
constexpr Link kLinks[] = {{"SATA 6 Gb/s", 0.6e9},           {"10 Gb/s Ethernet", 1e9},
                           {"8 lanes of PCIe 3", 5e9},       {"56 Gb/s InfiniBand", 6.8e9},
                           {"16 lanes of PCIe 4", 25e9},     {"40 lanes of PCIe 3", 30e9},
                           {"NVLink of one V100 pair", 40e9}};

bool is_wanted(const Limit& row) {
  const bool is_place = row.topic == "memory" || row.topic == "storage" || row.topic == "device";
  return is_place && row.unit == "B/s" && std::isfinite(row.value) && row.value > 0.0;
}

}  // namespace

double petabyte_seconds(double bytes_per_second) { return kPetabyte / bytes_per_second; }

std::vector<PetabyteRow> petabyte_rows(const Limits& limits) {
  std::vector<PetabyteRow> rows;
  for (const LimitSection& section : limits.sections) {
    for (const Limit& row : section.rows) {
      if (!is_wanted(row)) continue;
      rows.push_back({.what = fmt::format("{}: {}", row.topic, row.name),
                      .size = row.size,
                      .threads = row.threads,
                      .bytes_per_second = row.value});
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const PetabyteRow& a, const PetabyteRow& b) {
    return a.bytes_per_second < b.bytes_per_second;
  });
  for (const Link& link : kLinks) {
    rows.push_back(
        {.what = link.name, .bytes_per_second = link.bytes_per_second, .is_nominal = true});
  }
  return rows;
}

std::string long_time_text(double seconds) {
  struct Span {
    double seconds;
    const char* name;
  };
  constexpr double kHour = 3600.0;
  constexpr Span kSpans[] = {
      {365.25 * 24 * kHour, "years"}, {24 * kHour, "days"}, {kHour, "hours"}, {60.0, "minutes"}};
  for (const Span& span : kSpans) {
    // "1.00 days" reads worse than "24.0 hours".
    if (seconds >= 2 * span.seconds) {
      return fmt::format("{} {}", format_number(seconds / span.seconds), span.name);
    }
  }
  return fmt::format("{} seconds", format_number(seconds));
}

}  // namespace feedrate
