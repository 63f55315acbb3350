// SPDX-License-Identifier: Apache-2.0
#include "device/nccl_library.h"

#include <fmt/format.h>

#include "device/nvidia_folders.h"

namespace feedrate {
namespace {

void look_up(SymbolLoader& loader, nccl::Api& api) {
  loader.required(api.get_version, "ncclGetVersion");
  loader.required(api.get_error_string, "ncclGetErrorString");
  loader.required(api.get_unique_id, "ncclGetUniqueId");
  loader.required(api.comm_init_rank_config, "ncclCommInitRankConfig");
  loader.required(api.comm_get_async_error, "ncclCommGetAsyncError");
  loader.required(api.comm_destroy, "ncclCommDestroy");
  loader.required(api.comm_abort, "ncclCommAbort");
  loader.required(api.all_reduce, "ncclAllReduce");
}

}  // namespace

Nccl::Nccl()
    : loaded_(load_api<nccl::Api>({.names = {"libnccl.so.2"},
                                   .environment_variable = "FEEDRATE_NCCL_PATH",
                                   .folders = nvidia_folders(),
                                   .keep_loaded = true},  // NCCL starts threads.
                                  look_up)) {}

std::string Nccl::version() const {
  int number = 0;
  if (api().get_version(&number) != nccl::kSuccess) return "NCCL";
  return fmt::format("NCCL {}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

std::string Nccl::describe(int result) const {
  const char* const text = api().get_error_string(result);
  return fmt::format("{} ({})", text ? text : "error", result);
}

}  // namespace feedrate
