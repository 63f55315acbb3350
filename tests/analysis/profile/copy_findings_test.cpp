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
  void call(const char* name, std::uint64_t correlation, std::int64_t thread = 1,
            Role role = Role::kRuntime) {
    Activity made;
    made.role = role;
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
  [[nodiscard]] std::size_t blocking() const {
    const std::vector<CopyFinding> found = findings();
    return found.empty() ? 99 : found.front().blocking;
  }

  Timeline timeline_;
  Nanos now_ = 0ms;
};

TEST_F(CopyFindingsTest, a_wait_right_after_a_copy_makes_it_blocking) {
  copy(5);
  call("cudaMemcpyAsync", 5);
  call("cudaStreamIsCapturing", 6);
  call("cudaStreamSynchronize", 7);
  ASSERT_THAT(findings(), SizeIs(1));
  EXPECT_EQ(findings()[0].blocking, 1U);
  EXPECT_EQ(findings()[0].waited, 1ms);
}

TEST_F(CopyFindingsTest, a_launch_between_them_makes_it_non_blocking) {
  copy(5);
  call("cudaMemcpyAsync", 5);
  call("cudaLaunchKernel", 6);
  call("cudaStreamSynchronize", 7);
  EXPECT_EQ(blocking(), 0U);
}

TEST_F(CopyFindingsTest, a_driver_launch_between_them_makes_it_non_blocking) {
  copy(5);
  call("cudaMemcpyAsync", 5);
  call("cuLaunchKernel", 6);
  call("cudaStreamSynchronize", 7);
  EXPECT_EQ(blocking(), 0U);
}

TEST_F(CopyFindingsTest, a_wait_for_the_whole_device_is_not_for_the_copy) {
  copy(5);
  call("cudaMemcpyAsync", 5);
  call("cudaDeviceSynchronize", 6);
  call("cudaStreamSynchronize", 7);
  EXPECT_EQ(blocking(), 0U);
}

TEST_F(CopyFindingsTest, a_wait_of_another_thread_is_not_for_the_copy) {
  copy(5);
  call("cudaMemcpyAsync", 5, 1);
  call("cudaStreamSynchronize", 7, 2);
  EXPECT_EQ(blocking(), 0U);
}

TEST_F(CopyFindingsTest, one_wait_is_for_one_copy) {
  copy(5);
  copy(6);
  call("cudaMemcpyAsync", 5);
  call("cudaMemcpyAsync", 6);
  call("cudaStreamSynchronize", 7);
  call("cudaStreamSynchronize", 8);
  EXPECT_EQ(blocking(), 1U);
}

TEST_F(CopyFindingsTest, a_synchronous_copy_is_blocking) {
  copy(5);
  call("cudaMemcpy", 5);
  EXPECT_EQ(blocking(), 1U);
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
