// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cupti_library.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "device/nvidia_folders.h"

namespace feedrate::cupti {
namespace {

constexpr std::uint32_t kRuntimeDomain = 2;  // CUPTI_CB_DOMAIN_RUNTIME_API

void look_up(SymbolLoader& loader, Api& api) {
  loader.required(api.activity_register_callbacks, "cuptiActivityRegisterCallbacks");
  loader.required(api.activity_enable, "cuptiActivityEnable");
  loader.required(api.activity_disable, "cuptiActivityDisable");
  loader.required(api.activity_flush_all, "cuptiActivityFlushAll");
  loader.required(api.activity_get_next_record, "cuptiActivityGetNextRecord");
  loader.optional(api.activity_register_timestamp_callback,
                  "cuptiActivityRegisterTimestampCallback");
  loader.optional(api.activity_enable_runtime_api, "cuptiActivityEnableRuntimeApi");
  loader.optional(api.activity_get_num_dropped_records, "cuptiActivityGetNumDroppedRecords");
  loader.optional(api.get_callback_name, "cuptiGetCallbackName");
  loader.optional(api.get_result_string, "cuptiGetResultString");
  loader.optional(api.get_timestamp, "cuptiGetTimestamp");
  loader.optional(api.set_thread_id_type, "cuptiSetThreadIdType");
}

// CUDA 13 reports cudaLaunchKernel as "__cudaLaunchKernel_ptsz_v13000".
std::string_view plain_call_name(std::string_view name) {
  for (const std::string_view suffix : {"_v", "_ptsz", "_ptds"}) {
    name = name.substr(0, name.rfind(suffix));
  }
  return name.starts_with("__") ? name.substr(2) : name;
}

}  // namespace

Library open_library() {
  return load_api({.names = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8",
                             "libcupti.so.11.7", "libcupti.so.11.6", "libcupti.so"},
                   .environment_variable = "FEEDRATE_CUPTI_PATH",
                   .folders = nvidia_folders(),
                   .keep_loaded = true},
                  look_up);
}

std::string describe_result(const Api& api, int result) {
  if (result == kMultipleSubscribers) {
    return "another profiler is attached to this process (nsys, ncu or PyTorch's), and CUPTI "
           "supports only one";
  }
  const char* text = nullptr;
  if (api.get_result_string == nullptr || api.get_result_string(result, &text) != kSuccess ||
      text == nullptr) {
    text = "error";
  }
  return fmt::format(
      "{} ({}); it needs a working NVIDIA driver that is not older than CUPTI, and no "
      "other profiler in the process",
      text, result);
}

std::string runtime_call_name(const Api& api, std::uint32_t call) {
  const char* name = nullptr;
  if (api.get_callback_name == nullptr ||
      api.get_callback_name(kRuntimeDomain, call, &name) != kSuccess || name == nullptr) {
    return fmt::format("CUDA runtime call {}", call);
  }
  return std::string(plain_call_name(name));
}

}  // namespace feedrate::cupti
