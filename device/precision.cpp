#include "device/precision.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"

namespace feedrate {
namespace {

constexpr std::array kAll{Precision::kFp32, Precision::kTf32, Precision::kBf16, Precision::kFp16};
constexpr std::array<std::string_view, kAll.size()> kNames{"fp32", "tf32", "bf16", "fp16"};
constexpr int kAmpere = 8;  // The first compute capability whose tensor cores know tf32 and bf16.

}  // namespace

std::string_view to_string(Precision precision) {
  return kNames[static_cast<std::size_t>(precision)];
}

Precision precision_from_string(std::string_view name) {
  for (const Precision precision : kAll) {
    if (to_string(precision) == name) return precision;
  }
  throw ConfigError(
      fmt::format("precision '{}': unknown; there are: {}", name, fmt::join(kNames, ", ")));
}

std::span<const Precision> precisions() { return kAll; }

std::size_t bytes_of(Precision precision) {
  return precision == Precision::kBf16 || precision == Precision::kFp16 ? 2 : 4;
}

std::string why_no_precision(Precision precision, int major, int minor) {
  const bool is_old_enough = precision == Precision::kFp32 || precision == Precision::kFp16;
  if (is_old_enough || major >= kAmpere) return "";
  return fmt::format(
      "precision {}: a GPU of compute capability {}.{} has none; it came with {}.0; take fp16 or "
      "fp32",
      to_string(precision), major, minor, kAmpere);
}

}  // namespace feedrate
