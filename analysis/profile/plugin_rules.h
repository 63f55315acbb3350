// SPDX-License-Identifier: Apache-2.0
// The rules of the PyTorch profiler's TensorBoard plugin with its limits; a value equal to its
// limit does not fire. Only advise() calls them. Pure functions; any thread.
#pragma once
#include <optional>

#include "analysis/profile/advice.h"

namespace feedrate {

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

}  // namespace feedrate
