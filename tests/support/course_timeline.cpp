// SPDX-License-Identifier: Apache-2.0
#include "tests/support/course_timeline.h"

#include "tests/support/test_timeline.h"

namespace feedrate {
namespace {

/// Means over the steps, exclusive as in the course's tables.
struct CourseRun {
  Nanos kernel, memcpy, memset, communication, loader, cpu_exec, other;
  bool communicates_on_gpu;
  float second_half_blocks;  ///< per multiprocessor; the first half of the kernels has more than
                             ///< enough
  float second_half_occupancy;
};

constexpr float kFirstHalfOccupancy = 0.20F;

constexpr Nanos us(double microseconds) {
  return std::chrono::round<Nanos>(std::chrono::duration<double, std::micro>(microseconds));
}

/// Lays out each step sequentially, under long ranges that must not count again.
class CourseTimeline {
 public:
  explicit CourseTimeline(const CourseRun& run) : run_(run) {}

  Timeline finish() {
    GpuProperties gpu;
    gpu.name = "NVIDIA A100-SXM4-80GB";
    gpu.memory_bytes = 84'987'740'160;
    gpu.compute_major = 8;
    gpu.multiprocessors = 108;
    built_.timeline().gpus.push_back(gpu);
    built_.gpu(Role::kKernel, "warm-up", {now_ - us(500), now_ - us(100)});
    // The lengths vary around the given mean.
    for (int step = 0; step < 5; ++step) add_step(step, us(20) * (step - 2));
    return built_.finish();
  }

 private:
  void add_step(int number, Nanos longer_loading) {
    const Nanos begin = now_;
    built_.host(Role::kDataLoader, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
                take(run_.loader + longer_loading));
    const Nanos computing = now_;
    take(run_.cpu_exec);
    built_.gpu(Role::kMemcpy, "Memcpy HtoD", take(run_.memcpy));
    built_.gpu(Role::kMemset, "Memset (Device)", take(run_.memset));
    add_kernels();
    const TimeInterval communication = take(run_.communication);
    if (run_.communicates_on_gpu) {
      built_.gpu(Role::kCommunication, "ncclDevKernel_AllReduce", communication, 20);
    } else {
      built_.host(Role::kCommunication, "nccl:all_reduce", communication);
    }
    built_.host(Role::kCpuExec, "aten::everything", {computing, now_});
    take(run_.other);
    built_.host(Role::kUncounted, "train.py: main", {begin, now_});
    built_.step(number, {begin, now_});
  }

  void add_kernels() {
    Activity& first = built_.gpu(Role::kKernel, "first", take(run_.kernel / 2));
    first.blocks_per_sm = 1.7F;
    first.occupancy = kFirstHalfOccupancy;
    Activity& second = built_.gpu(Role::kKernel, "second", take(run_.kernel - run_.kernel / 2));
    second.blocks_per_sm = run_.second_half_blocks;
    second.occupancy = run_.second_half_occupancy;
  }

  TimeInterval take(Nanos length) {
    now_ += length;
    return {now_ - length, now_};
  }

  CourseRun run_;
  Nanos now_ = std::chrono::seconds(1);
  TestTimeline built_;
};

}  // namespace

// 134,325 of 2,721,884 us is 4.935 %. The table shows 4.93 % of the step in kernels and 4.94 % GPU
// utilization: the mean was slightly below the rounded figure, and NCCL's kernels, which have their
// own category, keep the GPU busy, too.
Timeline course_timeline_before() {
  return CourseTimeline({us(134'324.7), us(13'314), us(713), us(110), us(2'563'866), us(6'458),
                         us(3'098.3), true, 0.9696F, 0.4152F})
      .finish();
}

Timeline course_timeline_after() {
  return CourseTimeline({us(123'861), us(9'311), us(558), us(39), us(327), us(3'862), us(4'675),
                         false, 0.9703F, 0.4430F})
      .finish();
}

}  // namespace feedrate
