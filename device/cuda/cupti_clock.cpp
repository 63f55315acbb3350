// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cupti_clock.h"

#include <algorithm>

#include "core/clock.h"

namespace feedrate::cupti {
namespace {

constexpr int kTries = 16;
constexpr double kMaxNanoseconds = 1e18;  // 32 years; a damaged record may hold any time

double difference(std::uint64_t a, std::uint64_t b) {
  return static_cast<double>(static_cast<std::int64_t>(a - b));
}

}  // namespace

std::optional<ClockPair> take_clock_pair(const Api& api) {
  if (api.get_timestamp == nullptr) return std::nullopt;
  const SteadyClock clock;
  std::optional<ClockPair> best;
  Nanos best_width{};
  for (int i = 0; i < kTries; ++i) {
    ClockPair pair;
    const Nanos before = clock.now();
    if (api.get_timestamp(&pair.cupti) != kSuccess) return std::nullopt;
    const Nanos width = clock.now() - before;
    pair.host = before + width / 2;
    if (best && width >= best_width) continue;
    best = pair;
    best_width = width;
  }
  return best;
}

Nanos to_host(std::uint64_t cupti, const ClockPair& first, const ClockPair& last) {
  const double length = difference(last.cupti, first.cupti);
  const auto host_length = static_cast<double>((last.host - first.host).count());
  const double rate = length > 0 ? host_length / length : 1.0;
  const double since_first =
      std::clamp(difference(cupti, first.cupti) * rate, -kMaxNanoseconds, kMaxNanoseconds);
  return first.host + Nanos(static_cast<Nanos::rep>(since_first));
}

}  // namespace feedrate::cupti
