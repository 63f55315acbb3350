// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/limits/lazy.h"
#include "bench/limits/topics.h"
#include "device/open.h"

namespace feedrate {
namespace {

constexpr std::uint64_t kSizes[] = {std::uint64_t{64} << 10, kMebibyte, 16 * kMebibyte,
                                    256 * kMebibyte};
constexpr std::uint64_t kLargest = 256 * kMebibyte;

/// Members are declared so that buffers and stream are destroyed before the device.
struct Gpu {
  Gpu()
      : device(open_device("cuda", clock)),
        stream(device->create_stream(StreamKind::kNonBlocking)),
        target(device->allocate(kLargest)),
        pinned(device->allocate_host(kLargest, HostMemory::kPinned)),
        pageable(device->allocate_host(kLargest, HostMemory::kPageable)) {
    // Untouched pages would all map to one page of zeros.
    for (const HostBuffer* buffer : {&pinned, &pageable}) {
      std::fill(buffer->bytes().begin(), buffer->bytes().end(), std::byte{0x5a});
    }
  }

  SteadyClock clock;
  std::unique_ptr<Device> device;
  std::unique_ptr<DeviceStream> stream;
  DeviceBuffer target;
  HostBuffer pinned;
  HostBuffer pageable;
};

void copy(benchmark::State& state, Gpu& gpu, HostMemory memory, std::size_t size) {
  const HostBuffer& source = memory == HostMemory::kPinned ? gpu.pinned : gpu.pageable;
  for (auto _ : state) {
    gpu.stream->copy_to_device(gpu.target, source.bytes().first(size));
    gpu.stream->synchronize();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(size));
}

void launch(benchmark::State& state, Gpu& gpu) {
  for (auto _ : state) {
    gpu.stream->burn(Nanos(0));
    gpu.stream->synchronize();
  }
}

}  // namespace

TopicPlan plan_device(const LimitsSetting& /*setting*/) {
  const std::string problem = why_no_cuda();
  if (!problem.empty()) {
    return {
        {},
        fmt::format("{}; a simulated device would only return the figures of its preset", problem)};
  }
  const auto gpu = lazily<Gpu>([] { return std::make_unique<Gpu>(); });
  TopicPlan plan;
  for (const HostMemory memory : {HostMemory::kPinned, HostMemory::kPageable}) {
    const bool is_pinned = memory == HostMemory::kPinned;
    for (const std::uint64_t size : kSizes) {
      plan.benchmarks.push_back(
          {{.name = is_pinned ? "copy pinned" : "copy pageable",
            .size = size,
            .unit = "B/s",
            .note = is_pinned ? "a batch with pin_memory" : "a batch without pin_memory"},
           [gpu, memory, size](benchmark::State& state) {
             copy(state, gpu->get(), memory, size);
           }});
    }
  }
  plan.benchmarks.push_back({{.name = "launch and wait", .unit = "s", .note = "an empty step"},
                             [gpu](benchmark::State& state) { launch(state, gpu->get()); }});
  return plan;
}

}  // namespace feedrate
