// SPDX-License-Identifier: Apache-2.0
// The processes, lanes and streams of a run's timeline. Constants; any thread.
//
// The numbers are not the real ones: viewers take processes below 64 for GPUs, and traces of
// PyTorch call its default stream 7 and its first side stream 20.
#pragma once
#include <cstdint>

namespace feedrate::lanes {

inline constexpr std::int64_t kProcess = 1000;
inline constexpr std::int64_t kTrainer = 1000;
inline constexpr std::int64_t kPin = 1001;
inline constexpr std::int64_t kFirstWorker = 1002;
// Lanes that only a tracer fills; the numbers are above those of any worker.
inline constexpr std::int64_t kWaits = 9001;
inline constexpr std::int64_t kTracer = 9002;
inline constexpr std::int64_t kFirstOtherThread = 9003;

inline constexpr std::int32_t kGpu = 0;
inline constexpr std::int64_t kComputeStream = 7;  ///< also the default stream's number in CUPTI
inline constexpr std::int64_t kSideStream = 20;

}  // namespace feedrate::lanes
