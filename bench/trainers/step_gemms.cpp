// SPDX-License-Identifier: Apache-2.0
#include "bench/trainers/step_gemms.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"

namespace feedrate {
namespace {

constexpr std::int64_t kLargest = 1 << 24;  // largest dimension: a matrix's bytes must not overflow
constexpr std::int64_t kMostTimes = 10'000;

class GemmParser {
 public:
  explicit GemmParser(std::string_view text) : whole_(text), rest_(text) {}

  Gemm parse() {
    Gemm gemm;
    gemm.m = number(kLargest);
    expect('x');
    gemm.n = number(kLargest);
    expect('x');
    gemm.k = number(kLargest);
    if (rest_.empty()) return gemm;
    expect('*');
    gemm.count = number(kMostTimes);
    if (!rest_.empty()) refuse();
    return gemm;
  }

 private:
  std::int64_t number(std::int64_t most) {
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || value < 1 || value > most) refuse();
    rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
    return value;
  }

  void expect(char wanted) {
    if (!rest_.starts_with(wanted)) refuse();
    rest_.remove_prefix(1);
  }

  [[noreturn]] void refuse() const {
    throw ConfigError(
        fmt::format("'{}' is not a matrix product; must be MxNxK or MxNxK*TIMES, such as "
                    "4096x1024x4096*8, with sizes up to {} and up to {} times",
                    whole_, kLargest, kMostTimes));
  }

  std::string_view whole_;
  std::string_view rest_;
};

std::int64_t scaled(std::int64_t size, double share) {
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(size) * share));
}

}  // namespace

std::vector<StepGemm> parse_gemms(std::string_view text) {
  std::vector<StepGemm> gemms;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    if (space > 0) gemms.push_back({GemmParser(text.substr(0, space)).parse(), BatchDimension::kN});
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  if (gemms.empty()) throw ConfigError("has no matrix product; must be like 4096x1024x4096");
  return gemms;
}

std::vector<Gemm> scaled(std::span<const StepGemm> gemms, double share) {
  std::vector<Gemm> result;
  for (const StepGemm& step : gemms) {
    Gemm gemm = step.gemm;
    std::int64_t& size = step.grows == BatchDimension::kN ? gemm.n : gemm.k;
    size = scaled(size, share);
    result.push_back(gemm);
  }
  return result;
}

}  // namespace feedrate
