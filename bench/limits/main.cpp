// SPDX-License-Identifier: Apache-2.0
// Measures the limits as a Google Benchmark program with its options, such as
// --benchmark_filter=decode. Creates temporary files in the working directory.
#include <filesystem>

#include <benchmark/benchmark.h>

#include "bench/limits/topics.h"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const feedrate::TemporaryFolder folder =
      feedrate::make_scratch_folder(std::filesystem::current_path());
  const feedrate::LimitsSetting setting = feedrate::make_limits_setting(folder.path(), {});
  for (const feedrate::LimitTopic& topic : feedrate::limit_topics()) {
    feedrate::TopicPlan plan = topic.plan(setting);
    for (feedrate::LimitBenchmark& one : plan.benchmarks) {
      one.row.topic = topic.name;
      feedrate::register_benchmark(one, {});
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::ClearRegisteredBenchmarks();  // They hold files of the folder open.
  benchmark::Shutdown();
  return 0;
}
