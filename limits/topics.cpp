#include "limits/topics.h"

#include <algorithm>
#include <array>

#include "host/cpu.h"
#include "host/memory.h"

namespace feedrate {
namespace {

constexpr std::array<LimitTopic, 9> kTopics{{
    {"memory", "Memory: moving bytes within it",
     "Every batch is written and read several times on its way, and all workers share this.",
     plan_memory},
    {"storage", "Storage: reading one large file",
     "Cold: the page cache was dropped for the file, and mincore agrees. The file was written just "
     "before, so a cache\nbelow, of a hypervisor, a controller or a file server, may still hold "
     "it: cold rates are then too good.\nThreads are requests at a time.",
     plan_storage},
    {"files", "Small files: open, read and close one",
     "A folder of images costs this for each sample, before anything is decoded.", plan_files},
    {"formats", "Formats: reading one record",
     "In random order, by one worker, from the page cache, not decoded. Storage comes on top where "
     "data is not cached.",
     plan_formats},
    {"decode", "Decoding: from encoded bytes to pixels",
     "By one core. So many workers can do so many times as much, as long as each has a core.",
     plan_decode},
    {"transforms", "Transforms: from pixels to a batch",
     "By one core. An image of 500x375 becomes a sample of 224x224.", plan_transforms},
    {"samples", "Samples: decode and transforms together",
     "By one core, from the bytes in memory: what one perfect worker delivers.", plan_samples},
    {"device", "Device: from the host to the GPU", "From issuing the copy to its end.",
     plan_device},
    {"dataset", "This sweep's dataset: reading it and making samples of it",
     "From the page cache, in random order, by so many threads that share nothing.", plan_own_data},
}};

// The copy needs twice as much, and a machine in use has other plans for half of what is free.
std::uint64_t memory_for_copies(std::uint64_t wanted) {
  constexpr std::uint64_t kShare = 4;
  const MemoryInfo memory = read_memory_info();
  std::uint64_t room = memory.available;
  if (memory.cgroup_limit) room = std::min(room, *memory.cgroup_limit);
  return room == 0 ? wanted : std::clamp(room / kShare, kMebibyte, wanted) / kMebibyte * kMebibyte;
}

}  // namespace

std::span<const LimitTopic> limit_topics() { return kTopics; }

LimitsSetting make_limits_setting(const std::filesystem::path& folder, const LimitsScale& scale) {
  LimitsSetting setting;
  setting.folder = folder;
  setting.scale = scale;
  setting.scale.memory_bytes = memory_for_copies(scale.memory_bytes);
  setting.cpus = usable_cpus();
  setting.pictures = std::make_shared<Pictures>(scale.pictures);
  return setting;
}

}  // namespace feedrate
