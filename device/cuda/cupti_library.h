// SPDX-License-Identifier: Apache-2.0
// The functions of CUPTI that feedrate uses, declared here and opened at run time. Any thread may
// call them; CUPTI synchronizes itself.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/shared_library.h"
#include "device/cuda/cupti_records.h"

namespace feedrate::cupti {

/// CUptiResult
inline constexpr int kSuccess = 0;
inline constexpr int kMaxLimitReached = 12;
inline constexpr int kMultipleSubscribers = 39;

using RequestBuffer = void(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records);
using CompleteBuffer = void(void* context, std::uint32_t stream, std::uint8_t* buffer,
                            std::size_t size, std::size_t valid);
using Timestamp = std::uint64_t();
/// Advances `*record` to the next record, or to the first if it is null.
using NextRecord = int(std::uint8_t* buffer, std::size_t valid, Record** record);

/// CUPTI's functions without the prefix of their names.
struct Api {
  int (*activity_register_callbacks)(RequestBuffer*, CompleteBuffer*) = nullptr;
  int (*activity_enable)(std::uint32_t kind) = nullptr;
  int (*activity_disable)(std::uint32_t kind) = nullptr;
  int (*activity_flush_all)(std::uint32_t flag) = nullptr;
  NextRecord* activity_get_next_record = nullptr;
  // Each of these may be null.
  int (*activity_register_timestamp_callback)(Timestamp*) = nullptr;  // since 11.6
  int (*activity_enable_runtime_api)(std::uint32_t call, std::uint8_t enable) = nullptr;  // 12.5
  int (*activity_get_num_dropped_records)(void*, std::uint32_t, std::size_t* dropped) = nullptr;
  int (*get_callback_name)(std::uint32_t domain, std::uint32_t call, const char**) = nullptr;
  int (*get_result_string)(int result, const char** text) = nullptr;
  int (*get_timestamp)(std::uint64_t* nanoseconds) = nullptr;
  int (*set_thread_id_type)(std::uint32_t type) = nullptr;
};

using Library = LoadedApi<Api>;

/// Tries the file that FEEDRATE_CUPTI_PATH names, else CUPTI's known file names. The library stays
/// loaded until the process ends, because it hooks into the CUDA driver.
[[nodiscard]] Library open_library();

/// Returns "CUPTI_ERROR_UNKNOWN (999)" and, if known, the meaning.
[[nodiscard]] std::string describe_result(const Api& api, int result);

/// Returns the name of a runtime call, such as "cudaMemcpyAsync", by the number in its record.
[[nodiscard]] std::string runtime_call_name(const Api& api, std::uint32_t call);

}  // namespace feedrate::cupti
