// SPDX-License-Identifier: Apache-2.0
#include "core/host/storage.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/limits/lazy.h"
#include "bench/limits/team.h"
#include "bench/limits/test_file.h"
#include "bench/limits/topics.h"
#include "core/error.h"
#include "device/host_memory.h"

namespace feedrate {
namespace {

constexpr std::uint64_t kBlocks[] = {4096, std::uint64_t{64} << 10, kMebibyte};
constexpr int kDeep = 16;  // Keeps an NVMe drive or a file server busy.
// These limit a cold pass to seconds on a hard disk.
constexpr std::uint64_t kPassBytes = 64 * kMebibyte;
constexpr std::uint64_t kPassRandomReads = 1024;
constexpr std::uint64_t kLeastFile = 16 * kMebibyte;

enum class Order { kSequential, kRandom };

class BlockOrder {
 public:
  BlockOrder(Order order, std::uint64_t blocks) : blocks_(blocks) {
    std::iota(blocks_.begin(), blocks_.end(), std::uint64_t{0});
    // The same order in each run, so that compared results differ by the hardware only.
    if (order == Order::kRandom) std::shuffle(blocks_.begin(), blocks_.end(), std::mt19937_64(1));
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return blocks_.size(); }
  [[nodiscard]] std::uint64_t at(std::uint64_t index) const {
    return blocks_[index % blocks_.size()];
  }

 private:
  std::vector<std::uint64_t> blocks_;
};

/// A page-aligned buffer for a block, since copying to an unaligned one takes longer.
class BlockBuffer {
 public:
  explicit BlockBuffer(std::size_t size) : pages_(allocate_pages(size)), size_(size) {}
  [[nodiscard]] MutableBytes bytes() const { return {pages_.get(), size_}; }

 private:
  Pages pages_;
  std::size_t size_;
};

struct Reads {
  Order order = Order::kSequential;
  std::uint64_t block = 0;
  int threads = 1;
  std::stop_token stop = {};
};

std::uint64_t blocks_of_pass(const Reads& reads, const BlockOrder& order) {
  std::uint64_t blocks = kPassBytes / reads.block;
  if (reads.order == Order::kRandom) blocks = std::min(blocks, kPassRandomReads);
  return std::max<std::uint64_t>(std::min(blocks, order.size()),
                                 static_cast<std::uint64_t>(reads.threads));
}

double cold_pass(const Reads& reads, const TestFile& file, const BlockOrder& order,
                 std::uint64_t index, std::uint64_t blocks) {
  const std::uint64_t part = blocks / static_cast<std::uint64_t>(reads.threads);
  return run_together(reads.threads, [&](int thread) {
    const BlockBuffer buffer(reads.block);
    const std::uint64_t first = index + part * static_cast<std::uint64_t>(thread);
    for (std::uint64_t i = 0; i < part; ++i) file.read(order.at(first + i), buffer.bytes());
  });
}

void read_cold(benchmark::State& state, const Reads& reads, TestFile& file) {
  const BlockOrder order(reads.order, file.size() / reads.block);
  const auto threads = static_cast<std::uint64_t>(reads.threads);
  const std::uint64_t blocks = blocks_of_pass(reads, order) / threads * threads;
  std::uint64_t index = 0;
  double resident = 0.0;
  for (auto _ : state) {
    if (reads.stop.stop_requested()) throw Cancelled();
    const double left = file.drop();
    if (std::isnan(left) || left > resident) resident = left;
    state.SetIterationTime(cold_pass(reads, file, order, index, blocks));
    index += blocks;
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(blocks * reads.block));
  state.SetLabel(why_not_cold(resident));
}

void read_warm(benchmark::State& state, const Reads& reads, TestFile& file) {
  const BlockOrder order(reads.order, file.size() / reads.block);
  const BlockBuffer buffer(reads.block);
  // The other threads wait at the begin of the loop until fill() is done.
  const double resident = state.thread_index() == 0 ? file.fill(reads.stop) : 1.0;
  const std::uint64_t part = order.size() / static_cast<std::uint64_t>(state.threads());
  std::uint64_t index = part * static_cast<std::uint64_t>(state.thread_index());
  for (auto _ : state) {
    file.read(order.at(index++), buffer.bytes());
    benchmark::DoNotOptimize(buffer.bytes().data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(reads.block));
  if (state.thread_index() == 0) state.SetLabel(why_not_warm(resident));
}

const char* name_of(Order order, bool cold) {
  if (order == Order::kSequential) return cold ? "sequential cold" : "sequential warm";
  return cold ? "random cold" : "random warm";
}

std::string note_of(Order order, bool cold) {
  return fmt::format("{}, {}",
                     order == Order::kSequential ? "a packed dataset read in order"
                                                 : "pieces of a packed dataset in random order",
                     cold ? "first read" : "from the page cache");
}

LimitBenchmark reading(const std::shared_ptr<Lazy<TestFile>>& file, const Reads& reads, bool cold) {
  return {.row = {.name = name_of(reads.order, cold),
                  .size = reads.block,
                  .threads = reads.threads,
                  .unit = "B/s",
                  .note = note_of(reads.order, cold)},
          .body =
              [file, reads, cold](benchmark::State& state) {
                (cold ? read_cold : read_warm)(state, reads, file->get());
              },
          .timing = cold ? Timing::kManual : Timing::kWall,
          .in_threads = !cold};
}

std::vector<int> one_and(int many) {
  return many > 1 ? std::vector<int>{1, many} : std::vector<int>{1};
}

}  // namespace

TopicPlan plan_storage(const LimitsSetting& setting) {
  constexpr std::uint64_t kShareOfFree = 4;
  const std::uint64_t available = read_storage_info(setting.folder).free_bytes / kShareOfFree;
  const std::uint64_t size = std::min(setting.scale.file_bytes, available / kMebibyte * kMebibyte);
  if (size < std::min(setting.scale.file_bytes, kLeastFile)) {
    return {{},
            fmt::format(
                "{}: not enough free space for a file of {}; choose another folder with --folder",
                setting.folder.parent_path().string(), size_text(kLeastFile))};
  }
  const auto file = lazily<TestFile>([path = setting.folder / "file", size, stop = setting.stop] {
    return std::make_unique<TestFile>(path, size, stop);
  });
  TopicPlan plan;
  for (const bool cold : {true, false}) {
    for (const Order order : {Order::kSequential, Order::kRandom}) {
      for (const std::uint64_t block : kBlocks) {
        for (const int threads : one_and(cold ? kDeep : setting.cpus)) {
          plan.benchmarks.push_back(reading(file, {order, block, threads, setting.stop}, cold));
        }
      }
    }
  }
  return plan;
}

}  // namespace feedrate
