// SPDX-License-Identifier: Apache-2.0
// The part of NCCL (NVIDIA's collectives between GPUs) used here, by prototypes of ours, opened at
// run time: 2.14 and later.
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

/// ncclConfig_t as of 2.14; later versions have more members and read as many as `size` says.
struct Config {
  std::size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef;
  unsigned version = 21400;
  int blocking = 0;
};

/// The functions, named as NCCL names them without the prefix. A stream is a cudaStream_t, null
/// that of the legacy default stream.
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

/// Any thread.
class Nccl {
 public:
  /// Tries the file that FEEDRATE_NCCL_PATH names, else libnccl.so.2. See problem().
  Nccl();

  /// Why it is of no use, in plain words; empty if it is usable. REQUIRES for all below: it is.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
  [[nodiscard]] const nccl::Api& api() const noexcept { return api_; }
  /// "NCCL 2.27.3"
  [[nodiscard]] std::string version() const;
  /// "unhandled system error (2)"
  [[nodiscard]] std::string describe(int result) const;

 private:
  SharedLibrary file_;
  nccl::Api api_;
  std::string problem_;
};

}  // namespace feedrate
