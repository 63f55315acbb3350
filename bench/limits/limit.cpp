// SPDX-License-Identifier: Apache-2.0
#include "bench/limits/limit.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/format.h"

namespace feedrate {

std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t kKibi = 1024;
  if (bytes == 0) return {};
  if (bytes % (kKibi * kKibi) == 0) return fmt::format("{} MiB", bytes / (kKibi * kKibi));
  if (bytes % kKibi == 0) return fmt::format("{} KiB", bytes / kKibi);
  return format_value(static_cast<double>(bytes), Unit::kBytes);
}

std::string id_of(const Limit& limit) {
  std::string id = fmt::format("{}/{}", limit.topic, limit.name);
  std::replace(id.begin(), id.end(), ' ', '_');
  std::string size = size_text(limit.size);
  std::erase(size, ' ');
  if (!size.empty()) id += "/" + size;
  return id + fmt::format("/threads:{}", limit.threads);
}

std::string rate_text(const Limit& limit) {
  if (std::isnan(limit.value)) return kMissing;
  if (limit.unit == "s") return format_value(limit.value, Unit::kSeconds);
  if (limit.unit == "B/s") return format_value(limit.value, Unit::kBytes) + "/s";
  return fmt::format("{} {}", format_number(limit.value), limit.unit);
}

}  // namespace feedrate
