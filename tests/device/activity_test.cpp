// SPDX-License-Identifier: Apache-2.0
#include "device/activity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

DeviceActivity copy(ActivityDirection direction, ActivityMemory source, bool async) {
  DeviceActivity activity{.kind = ActivityKind::kMemcpy};
  activity.direction = direction;
  activity.source = source;
  activity.async = async;
  return activity;
}

TEST(PinnedEvidence, counts_host_to_device_copies_by_source_memory) {
  const auto to_device = ActivityDirection::kHostToDevice;
  const PinnedEvidence evidence =
      pinned_evidence({copy(to_device, ActivityMemory::kPinned, true),
                       copy(to_device, ActivityMemory::kPinned, false),
                       copy(to_device, ActivityMemory::kPageable, true),
                       copy(to_device, ActivityMemory::kManaged, true)});
  EXPECT_EQ(evidence.copies, 4U);
  EXPECT_EQ(evidence.pinned, 2U);
  EXPECT_EQ(evidence.pageable, 1U);
  EXPECT_EQ(evidence.async, 3U);
}

TEST(PinnedEvidence, other_copies_and_kernels_are_not_counted) {
  const PinnedEvidence evidence =
      pinned_evidence({copy(ActivityDirection::kDeviceToHost, ActivityMemory::kPinned, true),
                       copy(ActivityDirection::kOther, ActivityMemory::kDevice, true),
                       DeviceActivity{.kind = ActivityKind::kKernel}});
  EXPECT_EQ(evidence.copies, 0U);
  EXPECT_EQ(evidence.pinned, 0U);
  EXPECT_EQ(evidence.async, 0U);
}

TEST(ActivityTrace, missing_records_are_reported) {
  ActivityTrace trace;
  EXPECT_THAT(warnings(trace), IsEmpty());
  trace.dropped = 3;
  trace.unfinished = 4;
  trace.unreadable = 5;
  trace.problem = "libx.so: is tired";
  EXPECT_THAT(warnings(trace),
              ElementsAre(HasSubstr("lacks 3 records"), HasSubstr("lacks 4 activities"),
                          HasSubstr("rest of 5 buffers"), HasSubstr(": libx.so: is tired.")));
}

}  // namespace
}  // namespace feedrate
