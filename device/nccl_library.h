// SPDX-License-Identifier: Apache-2.0
// The functions of NCCL (NVIDIA's collectives between GPUs) that feedrate uses, declared here and
// opened at run time. Needs NCCL 2.14 or later.
#pragma once
#include <array>
#include <cstddef>
#include <string>

#include "core/shared_library.h"

namespace feedrate {

struct NcclCommunicator;  ///< ncclComm_t points to one
using NcclComm = NcclCommunicator*;

/// ncclResult_t, ncclDataType_t, ncclRedOp_t by value.
namespace nccl {
inline constexpr int kSuccess = 0;
inline constexpr int kInProgress = 7;
inline constexpr int kFloat = 7;
inline constexpr int kSum = 0;

struct UniqueId {
  std::array<char, 128> bytes;
};

/// ncclConfig_t of NCCL 2.14. Later versions append members, and read only `size` bytes.
struct Config {
  std::size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef;
  unsigned version = 21400;
  int blocking = 0;
};

/// NCCL's functions without the prefix of their names. A stream is a cudaStream_t; null is the
/// legacy default stream.
struct Api {
  int (*get_version)(int* version) = nullptr;
  const char* (*get_error_string)(int result) = nullptr;
  int (*get_unique_id)(UniqueId* id) = nullptr;
  int (*comm_init_rank_config)(NcclComm* comm, int ranks, UniqueId id, int rank,
                               Config* config) = nullptr;
  int (*comm_get_async_error)(NcclComm comm, int* result) = nullptr;
  int (*comm_destroy)(NcclComm comm) = nullptr;
  int (*comm_abort)(NcclComm comm) = nullptr;
  int (*all_reduce)(const void* from, void* to, std::size_t count, int type, int operation,
                    NcclComm comm, void* stream) = nullptr;
};
}  // namespace nccl

/// Safe from any thread.
class Nccl {
 public:
  /// Tries the file that FEEDRATE_NCCL_PATH names, else libnccl.so.2. See problem().
  Nccl();

  /// Why NCCL cannot be used; empty if it can. REQUIRES for all functions below: empty
  [[nodiscard]] const std::string& problem() const noexcept { return loaded_.problem; }
  [[nodiscard]] const nccl::Api& api() const noexcept { return loaded_.api; }
  /// "NCCL 2.27.3"
  [[nodiscard]] std::string version() const;
  /// "unhandled system error (2)"
  [[nodiscard]] std::string describe(int result) const;

 private:
  LoadedApi<nccl::Api> loaded_;
};

}  // namespace feedrate
