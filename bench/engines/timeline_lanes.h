// SPDX-License-Identifier: Apache-2.0
// The processes, lanes and streams of a run's timeline. Constants; any thread.
//
// Not the real numbers: viewers take processes below 64 for GPUs, and streams 7 and 20 are what
// PyTorch's default stream and its first side stream are called in traces.
#pragma once
#include <cstdint>

namespace feedrate::lanes {

inline constexpr std::int64_t kProcess = 1000;
inline constexpr std::int64_t kTrainer = 1000;
inline constexpr std::int64_t kPin = 1001;
inline constexpr std::int64_t kFirstWorker = 1002;
// Only where a tracer recorded: beyond what a machine has of workers.
inline constexpr std::int64_t kWaits = 9001;
inline constexpr std::int64_t kTracer = 9002;
inline constexpr std::int64_t kFirstOtherThread = 9003;

inline constexpr std::int32_t kGpu = 0;
inline constexpr std::int64_t kComputeStream = 7;  ///< the default stream's number in CUPTI, too
inline constexpr std::int64_t kSideStream = 20;

}  // namespace feedrate::lanes
