// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_nccl.h"

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/nccl_library.h"

namespace {

using feedrate::nccl::UniqueId;

// The state of one communicator: the buffers of the ranks that have joined the current sum.
struct Ring {
  explicit Ring(std::size_t ranks) : values(ranks) {}
  std::vector<float*> values;
  std::size_t arrived = 0;
  std::size_t joined = 0;
  int sums = 0;
};

std::mutex mutex;
std::map<std::string, std::shared_ptr<Ring>> rings;
int ids = 0;

feedrate::testing::FakeNccl& state() {
  static feedrate::testing::FakeNccl state;
  return state;
}

}  // namespace

struct feedrate::NcclCommunicator {
  std::shared_ptr<Ring> ring;
  std::size_t rank;
  int begun = 0;
};

using feedrate::NcclComm;

extern "C" {

feedrate::testing::FakeNccl* fake_nccl() { return &state(); }

int ncclGetVersion(int* version) {
  *version = 22703;
  return 0;
}

const char* ncclGetErrorString(int result) {
  return result == 5 ? "invalid usage" : "unhandled system error";
}

int ncclGetUniqueId(UniqueId* id) {
  const std::lock_guard lock(mutex);
  *id = {};
  const std::string text = "fake " + std::to_string(++ids);
  std::memcpy(id->bytes.data(), text.data(), text.size());
  return 0;
}

int ncclCommInitRankConfig(NcclComm* comm, int ranks, UniqueId id, int rank,
                           feedrate::nccl::Config* config) {
  if (config->blocking != 0 || config->magic != 0xcafebeef) return 4;
  if (state().init_result != 0) return state().init_result;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Ring>& ring = rings[id.bytes.data()];
  if (!ring) ring = std::make_shared<Ring>(static_cast<std::size_t>(ranks));
  ++ring->joined;
  ++state().communicators;
  *comm = new feedrate::NcclCommunicator{ring, static_cast<std::size_t>(rank)};
  return feedrate::nccl::kInProgress;
}

int ncclCommGetAsyncError(NcclComm comm, int* result) {
  const std::lock_guard lock(mutex);
  const Ring& ring = *comm->ring;
  const bool is_done = ring.joined == ring.values.size() && ring.sums >= comm->begun;
  *result = is_done ? 0 : feedrate::nccl::kInProgress;
  return 0;
}

int ncclAllReduce(const void*, void* to, std::size_t count, int, int, NcclComm comm, void*) {
  const std::lock_guard lock(mutex);
  Ring& ring = *comm->ring;
  ++comm->begun;
  ring.values[comm->rank] = static_cast<float*>(to);
  if (++ring.arrived < ring.values.size()) return feedrate::nccl::kInProgress;
  ring.arrived = 0;
  ++ring.sums;
  for (std::size_t i = 0; i < count; ++i) {
    float sum = 0.0F;
    for (const float* const values : ring.values) sum += values[i];
    for (float* const values : ring.values) values[i] = sum;
  }
  return 0;
}

int ncclCommDestroy(NcclComm comm) {
  delete comm;
  ++state().destroyed;
  return 0;
}

int ncclCommAbort(NcclComm comm) {
  delete comm;
  ++state().aborted;
  return 0;
}
}
