// SPDX-License-Identifier: Apache-2.0
// What a GPU and its runtime did, as a tracer recorded it: plain values, on the host's steady
// clock, and the interface of a tracer. Values may be read from any thread; a tracer has one owner.
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
  kOverhead,         ///< what tracing itself and lazy loading cost, on the host
};

enum class ActivityMemory : std::uint8_t { kUnknown, kPageable, kPinned, kDevice, kManaged };

enum class ActivityDirection : std::uint8_t { kNone, kHostToDevice, kDeviceToHost, kOther };

struct DeviceActivity {
  ActivityKind kind = ActivityKind::kKernel;
  ActivityDirection direction = ActivityDirection::kNone;  ///< of copies
  ActivityMemory source = ActivityMemory::kUnknown;        ///< of copies
  ActivityMemory target = ActivityMemory::kUnknown;        ///< of copies and memsets
  bool async = false;                      ///< of copies and memsets: by an async call
  std::int32_t device = -1;                ///< -1: on the host, or not known
  std::int64_t stream = -1;                ///< CUPTI's number; -1: none
  std::int64_t thread = -1;                ///< of a call, as gettid() numbers it; -1: none
  std::uint32_t correlation = 0;           ///< of a call and of what it started; 0: none
  std::uint32_t registers_per_thread = 0;  ///< of kernels, as the three below
  std::uint64_t shared_bytes_per_block = 0;
  std::uint64_t blocks = 0;
  std::uint64_t threads_per_block = 0;
  std::uint64_t bytes = 0;  ///< of copies and memsets
  Nanos begin{};            ///< as SteadyClock::now()
  Nanos end{};
  std::string name = {};  ///< "Memcpy HtoD (Pinned -> Device)", as the PyTorch profiler names it
};

/// One recording.
struct ActivityTrace {
  std::vector<DeviceActivity> activities;  ///< by begin
  std::uint64_t dropped = 0;               ///< records that found no room
  std::uint64_t unfinished = 0;            ///< records without both times; left out
  std::uint64_t unreadable = 0;  ///< places at which a buffer made no sense; rest left out
  std::string problem = {};      ///< why the last records may be missing; empty otherwise
};

/// Records all devices of this process until it is stopped or dies.
class ActivityTracer {
 public:
  virtual ~ActivityTracer() = default;
  /// Ends the recording. Synchronise the devices before: what still runs has no end. Call it once.
  [[nodiscard]] virtual ActivityTrace stop() = 0;
};

struct TracerStarted {
  std::unique_ptr<ActivityTracer> tracer = nullptr;  ///< null: not possible
  std::string library = {};                          ///< what records: "libcupti.so.13"
  std::string problem = {};                          ///< why it is not possible; empty otherwise
};

/// What host-to-device copies came from: the proof that "pinned" was pinned.
struct PinnedEvidence {
  std::uint64_t copies = 0;  ///< from the host to a device
  std::uint64_t pinned = 0;
  std::uint64_t pageable = 0;  ///< the rest came from memory of another or an unknown kind
  std::uint64_t async = 0;     ///< by an async call; from pageable memory it blocks nevertheless
};
[[nodiscard]] PinnedEvidence pinned_evidence(const std::vector<DeviceActivity>& activities);

/// What makes a trace incomplete, a sentence each; empty: nothing is missing.
[[nodiscard]] std::vector<std::string> warnings(const ActivityTrace& trace);

}  // namespace feedrate
