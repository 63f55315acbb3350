// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/copy_findings.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/profile/steps.h"
#include "analysis/profile/trace_reader.h"

namespace feedrate {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

// One step of 1 s with sequential events.
class CopyFindingsTest : public ::testing::Test {
 protected:
  void call(const char* name, std::uint64_t correlation, std::int64_t thread = 1) {
    Activity made;
    made.role = Role::kRuntime;
    made.span = {now_, now_ + 1ms};
    made.lane = thread;
    made.correlation = correlation;
    made.name = timeline_.names.id(name);
    timeline_.activities.push_back(made);
    now_ += 2ms;
  }
  Activity& on_device(Role role, Nanos begin, Nanos end, std::uint64_t correlation = 0) {
    Activity made;
    made.role = role;
    made.span = {begin, end};
    made.device = 0;
    made.correlation = correlation;
    timeline_.activities.push_back(made);
    return timeline_.activities.back();
  }
  void copy(std::uint64_t correlation, MemoryKind source = MemoryKind::kPinned) {
    Activity& made = on_device(Role::kMemcpy, 500ms, 510ms, correlation);
    made.bytes = 20'000'000;
    made.source = source;
    made.target = MemoryKind::kDevice;
  }
  [[nodiscard]] std::vector<CopyFinding> findings() const {
    return copy_findings(timeline_, {{1, {0ms, 1000ms}}});
  }
  Timeline timeline_;
  Nanos now_ = 0ms;
};

struct CallsCase {
  const char* why;
  std::vector<std::pair<const char*, std::uint64_t>> calls;  // After the copies 5 and 6.
  std::size_t blocking;
};

TEST_F(CopyFindingsTest, a_copy_is_blocking_if_the_thread_waits_for_it_next) {
  for (const auto& [why, calls, expected] : std::vector<CallsCase>{
           {"a wait right after it",
            {{"cudaMemcpyAsync", 5}, {"cudaStreamIsCapturing", 7}, {"cudaStreamSynchronize", 8}},
            1},
           {"a launch between them",
            {{"cudaMemcpyAsync", 5}, {"cudaLaunchKernel", 7}, {"cudaStreamSynchronize", 8}},
            0},
           {"a driver launch between them",
            {{"cudaMemcpyAsync", 5}, {"cuLaunchKernel", 7}, {"cudaStreamSynchronize", 8}},
            0},
           {"a wait for the whole device",
            {{"cudaMemcpyAsync", 5}, {"cudaDeviceSynchronize", 7}, {"cudaStreamSynchronize", 8}},
            0},
           {"one wait is for one copy",
            {{"cudaMemcpyAsync", 5},
             {"cudaMemcpyAsync", 6},
             {"cudaStreamSynchronize", 7},
             {"cudaStreamSynchronize", 8}},
            1},
           {"a synchronous copy", {{"cudaMemcpy", 5}}, 1},
       }) {
    timeline_ = {};
    copy(5);
    copy(6);
    for (const auto& [name, correlation] : calls) call(name, correlation);
    ASSERT_THAT(findings(), SizeIs(1)) << why;
    EXPECT_EQ(findings()[0].blocking, expected) << why;
    EXPECT_EQ(findings()[0].waited, expected * 1ms) << why;
  }
}

TEST_F(CopyFindingsTest, a_wait_of_another_thread_is_not_for_the_copy) {
  copy(5);
  call("cudaMemcpyAsync", 5, 1);
  call("cudaStreamSynchronize", 7, 2);
  EXPECT_EQ(findings().at(0).blocking, 0U);
}

TEST_F(CopyFindingsTest, kinds_of_memory_are_distinguished) {
  copy(1, MemoryKind::kPinned);
  copy(2, MemoryKind::kPageable);
  copy(3, MemoryKind::kPageable);
  copy(4, MemoryKind::kUnknown);
  const std::vector<CopyFinding> found = findings();
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[0].source, MemoryKind::kUnknown);
  EXPECT_EQ(found[1].source, MemoryKind::kPageable);
  EXPECT_EQ(found[1].copies, 2U);
  EXPECT_EQ(found[1].bytes, 40'000'000U);
  EXPECT_EQ(found[1].largest, 20'000'000U);
  EXPECT_DOUBLE_EQ(found[1].bytes_per_second(), 2e9);
}

TEST_F(CopyFindingsTest, copies_from_the_device_or_outside_the_steps_are_ignored) {
  copy(1, MemoryKind::kDevice);
  copy(2);
  timeline_.activities.back().target = MemoryKind::kPinned;
  copy(3);
  timeline_.activities.back().span = {1000ms, 1010ms};
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(CopyFindingsTest, overlap_is_with_kernels_of_the_same_gpu) {
  copy(1);
  on_device(Role::kKernel, 490ms, 503ms);
  on_device(Role::kKernel, 502ms, 504ms);
  on_device(Role::kKernel, 504ms, 600ms).device = 1;
  on_device(Role::kMemset, 504ms, 600ms);
  EXPECT_EQ(findings()[0].overlapped, 4ms);
  EXPECT_DOUBLE_EQ(findings()[0].overlapped_share(), 0.4);
}

TEST(CopyFindings, of_a_trace_by_hand) {
  const Timeline timeline = read_trace(std::filesystem::path(FEEDRATE_SOURCE_DIR) /
                                       "tests/golden/profile/gpu_three_steps.json")
                                .timeline;
  const std::vector<CopyFinding> found = copy_findings(timeline, adjusted_steps(timeline));
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].source, MemoryKind::kPageable);
  EXPECT_EQ(found[0].copies, 1U);
  EXPECT_EQ(found[0].blocking, 1U);
  EXPECT_EQ(found[0].waited, 100us);
  EXPECT_DOUBLE_EQ(found[0].bytes_per_second(), 10e9);
  EXPECT_EQ(found[1].source, MemoryKind::kPinned);
  EXPECT_EQ(found[1].copies, 2U);
  EXPECT_EQ(found[1].blocking, 0U);
  EXPECT_EQ(found[1].time, 100us);
  EXPECT_EQ(found[1].overlapped, 40us);
}

}  // namespace
}  // namespace feedrate
