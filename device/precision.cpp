// SPDX-License-Identifier: Apache-2.0
#include "device/precision.h"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/did_you_mean.h"
#include "core/error.h"

namespace feedrate {
namespace {

constexpr std::array kAll{Precision::kFp32, Precision::kTf32, Precision::kBf16, Precision::kFp16,
                          Precision::kFp8};
constexpr std::array<std::string_view, kAll.size()> kNames{"fp32", "tf32", "bf16", "fp16", "fp8"};
constexpr std::array<std::size_t, kAll.size()> kBytes{4, 4, 2, 2, 1};
// The first compute capability whose tensor cores support it: 8.0 is Ampere, 8.9 is Ada.
constexpr std::array<std::pair<int, int>, kAll.size()> kFirstCapability{
    {{0, 0}, {8, 0}, {8, 0}, {0, 0}, {8, 9}}};

}  // namespace

std::string_view to_string(Precision precision) {
  return kNames[static_cast<std::size_t>(precision)];
}

Precision precision_from_string(std::string_view name) {
  for (const Precision precision : kAll) {
    if (to_string(precision) == name) return precision;
  }
  throw ConfigError(fmt::format("precision '{}': unknown{}", name,
                                did_you_mean_or_list(name, {kNames.begin(), kNames.end()})));
}

std::span<const Precision> precisions() { return kAll; }

std::size_t bytes_of(Precision precision) { return kBytes[static_cast<std::size_t>(precision)]; }

std::size_t result_bytes_of(Precision precision) {
  return precision == Precision::kFp8 ? 2 : bytes_of(precision);
}

std::string why_no_precision(Precision precision, int major, int minor) {
  const std::pair first = kFirstCapability[static_cast<std::size_t>(precision)];
  if (std::pair(major, minor) >= first) return "";
  return fmt::format(
      "precision {}: not supported by a GPU of compute capability {}.{}; needs {}.{}; use fp16 or "
      "fp32",
      to_string(precision), major, minor, first.first, first.second);
}

}  // namespace feedrate
