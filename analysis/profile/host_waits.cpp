// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/host_waits.h"

#include <map>

#include "analysis/profile/device_work.h"

namespace feedrate {
namespace {

bool has_part(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Detected by the names of CUDA, HIP and Level Zero calls: traces have no field that distinguishes
// a wait from a launch.
bool is_launch(std::string_view call) {
  return has_part(call, "Launch") || has_part(call, "Memcpy") || has_part(call, "Memset");
}

bool waits_itself(std::string_view call) {
  return has_part(call, "Memcpy") && !has_part(call, "Async");
}

bool is_wait(std::string_view call) {
  return has_part(call, "Synchronize") || call == "urQueueFinish" || call == "urEventWait";
}

// Other waits are for all work or for an event, not for a particular copy.
bool is_stream_wait(std::string_view call) { return has_part(call, "StreamSynchronize"); }

class HostWaits {
 public:
  explicit HostWaits(const Timeline& timeline) : timeline_(timeline) {}

  std::vector<HostWait> find() {
    for (const Activity& call : timeline_.activities) {
      if (call.device == kHost && call.role == Role::kRuntime) inspect(call);
    }
    return std::move(waits_);
  }

 private:
  void inspect(const Activity& call) {
    const std::string_view name = timeline_.names.text(call.name);
    const std::pair lane(call.process, call.lane);
    std::uint64_t& copy = last_copy_[lane];
    if (is_launch(name)) {
      copy = has_part(name, "Memcpy") ? call.correlation : 0;
      if (!waits_itself(name)) return;
    } else if (!is_wait(name)) {
      return;
    }
    const bool is_for_copy = waits_itself(name) || is_stream_wait(name);
    waits_.push_back({call.span, lane, is_for_copy ? copy : 0});
    copy = 0;
  }

  const Timeline& timeline_;
  // The correlation of each thread's last launch if that was a copy, else 0.
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> last_copy_;
  std::vector<HostWait> waits_;
};

}  // namespace

bool waits_or_copies(std::string_view call) { return is_wait(call) || has_part(call, "Memcpy"); }

std::vector<HostWait> host_waits(const Timeline& timeline) { return HostWaits(timeline).find(); }

std::unordered_map<std::uint64_t, Nanos> waits_by_copy(const std::vector<HostWait>& waits) {
  std::unordered_map<std::uint64_t, Nanos> by_copy;
  for (const HostWait& wait : waits) {
    if (wait.copy != 0) by_copy[wait.copy] += wait.span.length();
  }
  return by_copy;
}

bool goes_to_device(const Activity& activity) {
  return is_copy(activity) && activity.target == MemoryKind::kDevice &&
         activity.source != MemoryKind::kDevice;
}

std::unordered_set<std::uint64_t> copies_to_devices(const Timeline& timeline) {
  std::unordered_set<std::uint64_t> copies;
  for (const Activity& activity : timeline.activities) {
    if (goes_to_device(activity) && activity.correlation != 0) copies.insert(activity.correlation);
  }
  return copies;
}

}  // namespace feedrate
