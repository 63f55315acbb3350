// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/limits/lazy.h"
#include "bench/limits/team.h"
#include "bench/limits/test_file.h"
#include "bench/limits/topics.h"
#include "core/error.h"
#include "core/host/page_cache.h"

namespace feedrate {
namespace {

constexpr std::uint64_t kSmall = std::uint64_t{2} << 10;    // the size of a PNG of 32x32
constexpr std::uint64_t kLarge = std::uint64_t{108} << 10;  // the size of a JPEG of 500x375
constexpr std::size_t kLargeFewer = 8;                      // divides the number of large files
constexpr std::size_t kColdPass = 256;  // limits a pass to seconds on a hard disk
constexpr int kDeepQueue = 16;

class SmallFiles {
 public:
  SmallFiles(const std::filesystem::path& folder, std::size_t count, std::uint64_t size,
             const std::stop_token& stop)
      : size_(size) {
    std::filesystem::create_directory(folder);
    const std::vector<std::byte> content(size, std::byte{0x5a});
    for (std::size_t i = 0; i < count; ++i) {
      if (stop.stop_requested()) throw Cancelled();
      paths_.push_back(folder / fmt::format("{:06}", i));
      write_new_file(paths_.back().string(), content);
    }
    sync_filesystem(folder);  // Syncing each file would cost a disk access each.
  }

  [[nodiscard]] std::size_t count() const noexcept { return paths_.size(); }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<const std::filesystem::path> first(std::size_t count) const {
    return std::span(paths_).first(std::min(count, paths_.size()));
  }

  /// REQUIRES: out.size() >= size()
  void read(std::size_t file, MutableBytes out) const {
    const std::string& path = paths_[file % paths_.size()].native();
    const OpenFile opened = open_regular_file(path);
    benchmark::DoNotOptimize(read_at(opened.fd.get(), out, 0, path));
  }

 private:
  std::vector<std::filesystem::path> paths_;
  std::uint64_t size_;
};

void read_warm_files(benchmark::State& state, const SmallFiles& files) {
  std::vector<std::byte> buffer(files.size());
  const std::size_t part = files.count() / static_cast<std::size_t>(state.threads());
  std::size_t file = part * static_cast<std::size_t>(state.thread_index());
  for (auto _ : state) files.read(file++, buffer);
  state.SetItemsProcessed(state.iterations());
}

void read_cold_files(benchmark::State& state, const SmallFiles& files, int threads,
                     const std::stop_token& stop) {
  const auto all = files.first(kColdPass);
  const std::size_t part = std::max<std::size_t>(all.size() / static_cast<std::size_t>(threads), 1);
  double resident = 0.0;
  for (auto _ : state) {
    if (stop.stop_requested()) throw Cancelled();
    drop_page_cache(all);
    const double left = resident_share(all);
    if (std::isnan(left) || left > resident) resident = left;
    state.SetIterationTime(run_together(threads, [&](int thread) {
      std::vector<std::byte> buffer(files.size());
      const std::size_t first = part * static_cast<std::size_t>(thread);
      for (std::size_t i = 0; i < part; ++i) files.read(first + i, buffer);
    }));
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(part * static_cast<std::size_t>(threads)));
  state.SetLabel(why_not_cold(resident));
}

using SharedFiles = std::shared_ptr<Lazy<SmallFiles>>;

SharedFiles files_of(const LimitsSetting& setting, const char* name, std::size_t count,
                     std::uint64_t size) {
  return lazily<SmallFiles>([path = setting.folder / name, count, size, stop = setting.stop] {
    return std::make_unique<SmallFiles>(path, count, size, stop);
  });
}

LimitBenchmark warm(const SharedFiles& files, std::uint64_t size, int threads) {
  return {.row = {.name = "read whole file warm",
                  .size = size,
                  .threads = threads,
                  .unit = "files/s",
                  .note = threads == 1 ? "one worker on a folder of images, from the page cache"
                                       : fmt::format("{} workers", threads)},
          .body = [files](benchmark::State& state) { read_warm_files(state, files->get()); },
          .in_threads = true};
}

LimitBenchmark cold(const SharedFiles& files, std::uint64_t size, int threads,
                    const std::stop_token& stop) {
  return {
      .row = {.name = "read whole file cold",
              .size = size,
              .threads = threads,
              .unit = "files/s",
              .note = threads == 1 ? "one worker, first read"
                                   : fmt::format("{} workers, first read", threads)},
      .body = [files, threads, stop](
                  benchmark::State& state) { read_cold_files(state, files->get(), threads, stop); },
      .timing = Timing::kManual};
}

}  // namespace

TopicPlan plan_files(const LimitsSetting& setting) {
  const std::size_t count = setting.scale.small_files;
  const SharedFiles small = files_of(setting, "small", count, kSmall);
  const SharedFiles large =
      files_of(setting, "large", std::max<std::size_t>(count / kLargeFewer, 1), kLarge);
  TopicPlan plan;
  plan.benchmarks.push_back(warm(small, kSmall, 1));
  if (setting.cpus > 1) plan.benchmarks.push_back(warm(small, kSmall, setting.cpus));
  plan.benchmarks.push_back(warm(large, kLarge, 1));
  for (const int threads : {1, kDeepQueue}) {
    plan.benchmarks.push_back(cold(small, kSmall, threads, setting.stop));
  }
  plan.benchmarks.push_back(cold(large, kLarge, 1, setting.stop));
  return plan;
}

}  // namespace feedrate
