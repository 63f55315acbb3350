// SPDX-License-Identifier: Apache-2.0
#include "bench/limits/topics.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/host/cpu.h"
#include "core/host/memory.h"

namespace feedrate {
namespace {

constexpr std::array<LimitTopic, 9> kTopics{{
    {"memory", "Memory: copying and filling",
     "Every batch is written and read several times. All workers share this bandwidth.",
     plan_memory},
    {"storage", "Storage: reading one large file",
     "Cold: the file was dropped from the page cache, as confirmed by mincore. It was written just "
     "before, so a cache\n"
     "of a hypervisor, a controller or a file server may still hold it, and cold rates may be too "
     "high.\n"
     "Threads are the number of concurrent requests.",
     plan_storage},
    {"files", "Small files: open, read and close a file",
     "The cost per sample of a folder of images, before decoding.", plan_files},
    {"formats", "Formats: reading a record",
     "In random order, by one worker, from the page cache, not decoded. Add the cost of storage if "
     "data is not cached.",
     plan_formats},
    {"decode", "Decoding: from encoded bytes to pixels",
     "On one core. N workers reach N times this rate if each has its own core.", plan_decode},
    {"transforms", "Transforms: from pixels to a batch",
     "On one core. An image of 500x375 becomes a sample of 224x224.", plan_transforms},
    {"samples", "Samples: decode and transforms together",
     "On one core, from bytes in memory: the upper bound for one worker.", plan_samples},
    {"device", "Device: from the host to the GPU", "From issuing the copy to its completion.",
     plan_device},
    {"dataset", "Dataset of the sweep: reading and making samples",
     "From the page cache, in random order, by independent threads.", plan_own_data},
}};

// Copies need twice this size, and other programs may need half of the free memory.
std::uint64_t memory_for_copies(std::uint64_t wanted) {
  constexpr std::uint64_t kShare = 4;
  const MemoryInfo memory = read_memory_info();
  std::uint64_t available = memory.available;
  if (memory.cgroup_limit) available = std::min(available, *memory.cgroup_limit);
  return available == 0 ? wanted
                        : std::clamp(available / kShare, kMebibyte, wanted) / kMebibyte * kMebibyte;
}

}  // namespace

TemporaryFolder make_scratch_folder(const std::filesystem::path& parent) {
  std::error_code error;
  if (!std::filesystem::is_directory(parent, error)) {
    throw ConfigError(
        fmt::format("{}: not a folder; --folder must be a writable folder", parent.string()));
  }
  return TemporaryFolder(parent / ".feedrate-limits.");
}

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
