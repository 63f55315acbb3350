// SPDX-License-Identifier: Apache-2.0
// A timeline: what ran when, on which lane of the host or of a GPU. Plain values, whether from
// feedrate's own marks, CUPTI, or a trace file of the PyTorch profiler. All times are on one clock.
// Not thread-safe while it is built; any thread may read it afterwards.
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/profile/intervals.h"
#include "core/units.h"

namespace feedrate {

/// The role of an activity in the execution summary. The order is the priority with which the
/// PyTorch profiler's TensorBoard plugin assigns a moment to one role: the first wins.
enum class Role : std::uint8_t {
  kKernel,
  kMemcpy,
  kMemset,
  kCommunication,
  kRuntime,     ///< runtime or driver calls on the host, such as CUDA's
  kDataLoader,  ///< the loader's next()
  kCpuExec,     ///< operators and the user's ranges
  kUncounted,   ///< shown but not counted: workers, the pin thread, Python frames, waits
};

enum class MemoryKind : std::uint8_t { kUnknown, kPageable, kPinned, kDevice };

/// Index of an activity's name in Timeline::names.
using NameId = std::uint32_t;
inline constexpr NameId kNoName = std::numeric_limits<NameId>::max();

inline constexpr std::int32_t kHost = -1;

struct Activity {
  TimeInterval span;
  std::uint64_t correlation = 0;  ///< links a runtime call and the work that it launched; 0: none
  std::uint64_t external_id = 0;  ///< links an operator and its calls; 0: none
  /// Bytes of copies and memsets, and of the calls that launch them; 0: not recorded.
  std::uint64_t bytes = 0;
  std::int64_t process = 0;  ///< on the host; for GPU activities the device
  std::int64_t lane = 0;     ///< thread on the host, stream on a GPU
  std::int32_t device = kHost;
  NameId name = 0;
  NameId shapes = kNoName;     ///< an operator's input shapes, if recorded: "[64,3],[3,8]"
  float blocks_per_sm = 0.0F;  ///< kernels: blocks / multiprocessors; 0: unknown
  float occupancy = 0.0F;      ///< kernels: estimated achieved occupancy, 0 to 1
  Role role = Role::kUncounted;
  MemoryKind source = MemoryKind::kUnknown;  ///< copies only
  MemoryKind target = MemoryKind::kUnknown;
};

/// One training step as marked on the host: "ProfilerStep#7".
struct StepSpan {
  std::int64_t number = 0;
  TimeInterval span;
};

/// Peak memory of PyTorch's allocator; 0: not recorded.
struct MemoryPeak {
  std::uint64_t allocated_bytes = 0;
  std::uint64_t reserved_bytes = 0;
};

/// Properties of a GPU; 0: not recorded.
struct GpuProperties {
  std::int32_t device = 0;
  std::string name;
  std::uint64_t memory_bytes = 0;
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  int warp_size = 0;
  MemoryPeak peak = {};
};

struct CounterSample {
  Nanos at{};
  double value = 0.0;
};

/// Stores each string once.
class NameTable {
 public:
  [[nodiscard]] NameId id(std::string_view name) {
    const auto known = ids_.find(std::string(name));
    if (known != ids_.end()) return known->second;
    const auto next = static_cast<NameId>(names_.size());
    names_.emplace_back(name);
    ids_.emplace(names_.back(), next);
    return next;
  }
  [[nodiscard]] const std::string& text(NameId id) const { return names_[id]; }
  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, NameId> ids_;
};

struct Timeline {
  NameTable names;
  /// (process, thread) of the training loop, which has the steps.
  std::pair<std::int64_t, std::int64_t> main_lane;
  std::vector<Activity> activities;  ///< by begin, then by role
  std::vector<StepSpan> steps;       ///< by begin; empty: no step is marked
  std::vector<GpuProperties> gpus;
  MemoryPeak host_peak;
  /// Accelerator in the profiler's categories if not CUDA or HIP: "MTIA", "XPU".
  std::string accelerator;
  /// (process or device, lane) to the lane's name in a viewer: "worker 3", "copy stream".
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> lane_names;
  std::map<std::string, std::vector<CounterSample>> counters;  ///< "ready batches"
};

}  // namespace feedrate
