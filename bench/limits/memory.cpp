// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstring>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/limits/lazy.h"
#include "bench/limits/team.h"
#include "bench/limits/topics.h"
#include "device/host_memory.h"
#include "loaders/processes/transport/segment.h"

namespace feedrate {
namespace {

constexpr std::size_t kNewMemory = 64 * kMebibyte;  // more than malloc() keeps after free()

struct CopyBuffers {
  explicit CopyBuffers(std::size_t size) : source(size, std::byte{1}), target(size, std::byte{2}) {}
  std::vector<std::byte> source;
  std::vector<std::byte> target;
};

std::vector<int> thread_counts(int cpus) {
  std::vector<int> counts;
  for (int count = 1; count < cpus; count *= 2) counts.push_back(count);
  counts.push_back(cpus);
  return counts;
}

void set_bytes(benchmark::State& state, std::size_t each) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(each));
}

// Each thread copies its part several times, so that starting and ending threads does not matter.
void copy_together(benchmark::State& state, CopyBuffers& buffers, int threads) {
  constexpr int kCopies = 4;
  const std::size_t part = buffers.source.size() / static_cast<std::size_t>(threads);
  for (auto _ : state) {
    state.SetIterationTime(run_together(threads, [&](int thread) {
      const std::size_t begin = part * static_cast<std::size_t>(thread);
      for (int i = 0; i < kCopies; ++i) {
        std::memcpy(buffers.target.data() + begin, buffers.source.data() + begin, part);
        benchmark::ClobberMemory();
      }
    }));
  }
  set_bytes(state, part * static_cast<std::size_t>(threads) * kCopies);
}

void copy_in_cache(benchmark::State& state, std::size_t size) {
  CopyBuffers buffers(size);
  for (auto _ : state) {
    std::memcpy(buffers.target.data(), buffers.source.data(), size);
    benchmark::ClobberMemory();
  }
  set_bytes(state, size);
}

void fill_private(benchmark::State& state) {
  for (auto _ : state) {
    const Pages pages = allocate_pages(kNewMemory);
    std::memset(pages.get(), 1, kNewMemory);
    benchmark::ClobberMemory();
  }
  set_bytes(state, kNewMemory);
}

void fill_huge(benchmark::State& state) {
  for (auto _ : state) {
    const HostBuffer pages = allocate_pageable(kNewMemory);
    std::memset(pages.bytes().data(), 1, kNewMemory);
    benchmark::ClobberMemory();
  }
  set_bytes(state, kNewMemory);
}

void fill_shared(benchmark::State& state) {
  for (auto _ : state) {
    const Mapping pages = map_for_children(kNewMemory, "destination buffer");
    std::memset(pages.bytes().data(), 1, kNewMemory);
    benchmark::ClobberMemory();
  }
  set_bytes(state, kNewMemory);
}

LimitBenchmark copies(const std::shared_ptr<Lazy<CopyBuffers>>& buffers, std::uint64_t size,
                      int threads) {
  return {.row = {.name = "copy",
                  .size = size,
                  .threads = threads,
                  .unit = "B/s",
                  .note = threads == 1 ? "one worker collating, or the pin thread"
                                       : fmt::format("{} workers collating at once", threads)},
          .body = [buffers, threads](
                      benchmark::State& state) { copy_together(state, buffers->get(), threads); },
          .timing = Timing::kManual};
}

LimitBenchmark copies_in_cache(std::uint64_t size, const char* note) {
  return {.row = {.name = "copy in cache", .size = size, .unit = "B/s", .note = note},
          .body = [size](benchmark::State& state) { copy_in_cache(state, size); }};
}

}  // namespace

TopicPlan plan_memory(const LimitsSetting& setting) {
  const std::uint64_t size = setting.scale.memory_bytes;
  const auto buffers = lazily<CopyBuffers>([size] { return std::make_unique<CopyBuffers>(size); });
  TopicPlan plan;
  for (const int threads : thread_counts(setting.cpus)) {
    plan.benchmarks.push_back(copies(buffers, size, threads));
  }
  plan.benchmarks.push_back(
      copies_in_cache(std::uint64_t{64} << 10, "a small sample, just created"));
  plan.benchmarks.push_back(copies_in_cache(kMebibyte, "a large sample, just created"));
  plan.benchmarks.push_back({{.name = "fill new memory",
                              .size = kNewMemory,
                              .unit = "B/s",
                              .note = "a batch in newly allocated memory"},
                             fill_private});
  plan.benchmarks.push_back({{.name = "fill new huge pages",
                              .size = kNewMemory,
                              .unit = "B/s",
                              .note = "the same in huge pages, as for large batches of threads"},
                             fill_huge});
  plan.benchmarks.push_back({{.name = "fill new shared memory",
                              .size = kNewMemory,
                              .unit = "B/s",
                              .note = "a worker's batch in a new shared segment, as in PyTorch"},
                             fill_shared});
  return plan;
}

}  // namespace feedrate
