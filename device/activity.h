// SPDX-License-Identifier: Apache-2.0
// Activities of a GPU and of its runtime as plain values on the host's steady clock, and the
// interface of the tracer that records them. Values may be read from any thread; a tracer has one
// owner.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/units.h"

namespace feedrate {

enum class ActivityKind : std::uint8_t {
  kKernel,
  kMemcpy,
  kMemset,
  kRuntime,          ///< a call of the CUDA runtime, on the host
  kSynchronization,  ///< waiting for a stream, an event or the context
  kOverhead,         ///< overhead of tracing and of lazy loading, on the host
};

enum class ActivityMemory : std::uint8_t { kUnknown, kPageable, kPinned, kDevice, kManaged };

enum class ActivityDirection : std::uint8_t { kNone, kHostToDevice, kDeviceToHost, kOther };

struct DeviceActivity {
  ActivityKind kind = ActivityKind::kKernel;
  ActivityDirection direction = ActivityDirection::kNone;  ///< copies only
  ActivityMemory source = ActivityMemory::kUnknown;        ///< copies only
  ActivityMemory target = ActivityMemory::kUnknown;        ///< copies and memsets only
  bool async = false;                      ///< copies and memsets only: issued by an async call
  std::int32_t device = -1;                ///< -1: on the host, or unknown
  std::int64_t stream = -1;                ///< CUPTI's number; -1: none
  std::int64_t thread = -1;                ///< runtime calls only: as gettid() numbers it; -1: none
  std::uint32_t correlation = 0;           ///< links a call to the work that it started; 0: none
  std::uint32_t registers_per_thread = 0;  ///< kernels only, like the next three
  std::uint64_t shared_bytes_per_block = 0;
  std::uint64_t blocks = 0;
  std::uint64_t threads_per_block = 0;
  std::uint64_t bytes = 0;  ///< copies and memsets only
  Nanos begin{};            ///< on the clock of SteadyClock::now()
  Nanos end{};
  std::string name = {};  ///< named as the PyTorch profiler does: "Memcpy HtoD (Pinned -> Device)"
};

struct ActivityTrace {
  std::vector<DeviceActivity> activities;  ///< sorted by `begin`
  std::uint64_t dropped = 0;               ///< records that CUPTI or the buffers had no space for
  std::uint64_t unfinished = 0;            ///< records without both times; left out
  std::uint64_t unreadable = 0;            ///< buffers whose rest could not be read
  std::string problem = {};                ///< why the last records may be missing; empty otherwise
};

/// Records all devices of this process until it is stopped or dies.
class ActivityTracer {
 public:
  virtual ~ActivityTracer() = default;
  /// Ends the recording. Synchronize the devices first: unfinished activities have no end time. May
  /// be called once.
  [[nodiscard]] virtual ActivityTrace stop() = 0;
};

struct TracerStarted {
  std::unique_ptr<ActivityTracer> tracer = nullptr;  ///< null: tracing is not possible
  std::string library = {};                          ///< the recording library: "libcupti.so.13"
  std::string problem = {};  ///< why tracing is not possible; empty otherwise
};

/// The memory that host-to-device copies read from: evidence that "pinned" memory was pinned.
struct PinnedEvidence {
  std::uint64_t copies = 0;  ///< from the host to a device
  std::uint64_t pinned = 0;
  std::uint64_t pageable = 0;  ///< the rest came from memory of another or an unknown kind
  std::uint64_t async = 0;     ///< async calls, which block nevertheless for pageable memory
};
[[nodiscard]] PinnedEvidence pinned_evidence(const std::vector<DeviceActivity>& activities);

/// Reasons why a trace is incomplete, one sentence each; empty: it is complete.
[[nodiscard]] std::vector<std::string> warnings(const ActivityTrace& trace);

}  // namespace feedrate
