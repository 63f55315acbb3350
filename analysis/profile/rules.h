// SPDX-License-Identifier: Apache-2.0
// The rules that advise() asks, with their limits; a value equal to its limit does not fire. Pure
// functions; any thread.
#pragma once
#include <optional>

#include "analysis/profile/advice.h"

namespace feedrate {

// The rules of the PyTorch profiler's TensorBoard plugin, with its limits:
inline constexpr double kDataLoadingLimit = 0.05;    ///< of the step
inline constexpr double kCommunicationLimit = 0.10;  ///< of the step
inline constexpr double kUtilizationLimit = 0.5;     ///< of the window
inline constexpr double kDeviceMemoryLimit = 0.9;    ///< of the GPU's memory

[[nodiscard]] std::optional<Advice> advise_data_loading(const AdviceInput& input);
/// Fires if DataParallel ran and more than one GPU worked.
[[nodiscard]] std::optional<Advice> advise_data_parallel(const AdviceInput& input);
/// Fires if DistributedDataParallel ran without any NCCL operation and a GPU has capability 3.5 or
/// more.
[[nodiscard]] std::optional<Advice> advise_nccl(const AdviceInput& input);
[[nodiscard]] std::optional<Advice> advise_communication(const AdviceInput& input);
/// Gives one advice for all GPUs below the limit, unless the host is known to be the reason.
[[nodiscard]] std::optional<Advice> advise_utilization(const AdviceInput& input);
/// Fires if the first GPU is NVIDIA's of capability 7 or more, no kernel used tensor cores, and
/// some could have. The names of other vendors' kernels do not show the use of matrix cores.
[[nodiscard]] std::optional<Advice> advise_mixed_precision(const AdviceInput& input);
/// Reports the first GPU above the limit.
[[nodiscard]] std::optional<Advice> advise_device_memory(const AdviceInput& input);

// For GPUs that are idle because the host is late, though not for lack of batches: larger batches
// would be the wrong advice. Limits are shares of the steps in which a GPU is idle for the reason.
inline constexpr double kSynchronizationLimit = 0.1;
inline constexpr double kHostBoundLimit = 0.2;
/// One wait per step is usual: loops log their loss.
inline constexpr double kUsualWaitsPerStep = 1.0;

/// Synchronization-bound: the host waits for the GPU several times a step, as by .item(), and the
/// GPU is idle after these waits.
[[nodiscard]] std::optional<Advice> advise_synchronization(const AdviceInput& input);
/// API-bound: the GPU is idle between launches while the host is in the calls that launch, or
/// host-bound: in operators.
[[nodiscard]] std::optional<Advice> advise_host_bound(const AdviceInput& input);

// Rules for copies from the host to a GPU. A share of the step below its limit is not worth a
// change.
inline constexpr double kPageableLimit = 0.01;
inline constexpr double kBlockingLimit = 0.01;
inline constexpr double kExposedCopyLimit = 0.05;

[[nodiscard]] std::optional<Advice> advise_pageable_copies(const AdviceInput& input);
/// Fires if the host waits for copies: a copy call followed by a wait for its stream on the same
/// thread, as PyTorch's .to() does unless non_blocking is set.
[[nodiscard]] std::optional<Advice> advise_blocking_copies(const AdviceInput& input);
[[nodiscard]] std::optional<Advice> advise_copy_overlap(const AdviceInput& input);

// Rules for the loader's settings and the host's memory, which need RunFacts besides the timeline.
inline constexpr double kStartUpLimit = 0.05;    ///< of an epoch's time
inline constexpr double kHostMemoryLimit = 0.9;  ///< of the process tree's limit

/// Fires if workers have one batch in flight each and the step waits for data.
[[nodiscard]] std::optional<Advice> advise_prefetch(const AdviceInput& input);
/// Fires if the first batch of an epoch takes more than kStartUpLimit of the epoch.
[[nodiscard]] std::optional<Advice> advise_start_up(const AdviceInput& input);
[[nodiscard]] std::optional<Advice> advise_host_memory(const AdviceInput& input);

/// Length of `part` as a share of the steps.
[[nodiscard]] double share_of_steps(Nanos part, const DeviceTimes& times);
/// The GPU with the largest share_of_steps() of `part`; null without a GPU.
[[nodiscard]] const DeviceTimes* worst_gpu(const std::vector<DeviceTimes>& devices,
                                           Nanos (*part)(const DeviceTimes&));

}  // namespace feedrate
