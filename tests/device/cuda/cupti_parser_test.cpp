// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cupti_parser.h"

#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/cupti_samples.h"
#include "tests/support/fake_cupti.h"

namespace feedrate::cupti {
namespace {

using ::testing::ElementsAre;
using testing::fake_next_record;
using testing::FakeRecords;
using ::testing::IsEmpty;
using testing::kFakeOtherKind;
using testing::kFakeTail;
using ::testing::SizeIs;

// The host's times are 1000 ns later.
ActivityTrace parse(std::vector<std::uint8_t>& bytes, NextRecord* next_record = fake_next_record) {
  ActivityTrace trace;
  Parser parser({.next_record = next_record,
                 .host_time = [](std::uint64_t time) { return Nanos(time + 1000); },
                 .call_name = [](std::uint32_t call) { return "call " + std::to_string(call); }},
                trace);
  parser.parse(bytes);
  return trace;
}

DeviceActivity parse_one(FakeRecords records) {
  const ActivityTrace trace = parse(records.bytes());
  EXPECT_THAT(trace.activities, SizeIs(1));
  EXPECT_EQ(trace.unreadable, 0U);
  return trace.activities.empty() ? DeviceActivity{} : trace.activities.front();
}

std::vector<std::string> names(const ActivityTrace& trace) {
  std::vector<std::string> names;
  for (const DeviceActivity& activity : trace.activities) names.push_back(activity.name);
  return names;
}

TEST(CuptiParser, a_copy_has_its_times_stream_size_and_memory_kinds) {
  const DeviceActivity copy = parse_one(FakeRecords().add(testing::sample_copy(10, 30)));
  EXPECT_EQ(copy.kind, ActivityKind::kMemcpy);
  EXPECT_EQ(copy.direction, ActivityDirection::kHostToDevice);
  EXPECT_EQ(copy.source, ActivityMemory::kPinned);
  EXPECT_EQ(copy.target, ActivityMemory::kDevice);
  EXPECT_TRUE(copy.async);
  EXPECT_EQ(copy.bytes, 4096U);
  EXPECT_EQ(copy.device, 1);
  EXPECT_EQ(copy.stream, 14);
  EXPECT_EQ(copy.thread, -1);
  EXPECT_EQ(copy.correlation, 77U);
  EXPECT_EQ(copy.begin, Nanos(1010));
  EXPECT_EQ(copy.end, Nanos(1030));
  EXPECT_EQ(copy.name, "Memcpy HtoD (Pinned -> Device)");
}

TEST(CuptiParser, a_copy_of_an_unknown_kind_is_named_unknown) {
  MemcpyRecord record = testing::sample_copy(10, 30);
  record.copy_kind = 200;
  record.source_kind = 201;
  record.target_kind = kMemoryManagedStatic;
  record.flags = 0xfe;
  const DeviceActivity copy = parse_one(FakeRecords().add(record));
  EXPECT_EQ(copy.direction, ActivityDirection::kOther);
  EXPECT_EQ(copy.source, ActivityMemory::kUnknown);
  EXPECT_EQ(copy.target, ActivityMemory::kManaged);
  EXPECT_FALSE(copy.async);
  EXPECT_EQ(copy.name, "Memcpy Unknown (Unknown -> Managed Static)");
}

TEST(CuptiParser, a_memset_has_its_memory_kind_and_size) {
  const DeviceActivity fill = parse_one(FakeRecords().add(testing::sample_memset(10, 30)));
  EXPECT_EQ(fill.kind, ActivityKind::kMemset);
  EXPECT_EQ(fill.target, ActivityMemory::kDevice);
  EXPECT_FALSE(fill.async);
  EXPECT_EQ(fill.bytes, 8U);
  EXPECT_EQ(fill.stream, 7);
  EXPECT_EQ(fill.correlation, 78U);
  EXPECT_EQ(fill.name, "Memset (Device)");
}

TEST(CuptiParser, a_kernel_has_its_demangled_name_and_its_shape) {
  const DeviceActivity kernel = parse_one(
      FakeRecords().add(testing::sample_kernel(10, 30, "_ZN8feedrate10timed_burnEyPNS_7ScratchE")));
  EXPECT_EQ(kernel.kind, ActivityKind::kKernel);
  EXPECT_EQ(kernel.name, "feedrate::timed_burn(unsigned long long, feedrate::Scratch*)");
  EXPECT_EQ(kernel.blocks, 60U);
  EXPECT_EQ(kernel.threads_per_block, 256U);
  EXPECT_EQ(kernel.registers_per_thread, 32U);
  EXPECT_EQ(kernel.shared_bytes_per_block, 1536U);
  EXPECT_EQ(kernel.device, 1);
  EXPECT_EQ(kernel.stream, 7);
  EXPECT_EQ(kernel.correlation, 79U);
}

TEST(CuptiParser, a_kernel_may_have_an_unmangled_name_or_none) {
  FakeRecords records;
  records.add(testing::sample_kernel(10, 30, "gemm_kernel"));
  records.add(testing::sample_kernel(10, 30, nullptr));
  EXPECT_THAT(names(parse(records.bytes())), ElementsAre("gemm_kernel", "kernel"));
}

TEST(CuptiParser, a_runtime_call_has_a_host_thread) {
  const DeviceActivity call = parse_one(FakeRecords().add(testing::sample_call(10, 30, 41)));
  EXPECT_EQ(call.kind, ActivityKind::kRuntime);
  EXPECT_EQ(call.name, "call 41");
  EXPECT_EQ(call.thread, 101);
  EXPECT_EQ(call.correlation, 79U);
  EXPECT_EQ(call.device, -1);
  EXPECT_EQ(call.stream, -1);
}

TEST(CuptiParser, a_wait_has_its_kind_and_its_stream_if_any) {
  FakeRecords records;
  records.add(testing::sample_wait(10, 30, kSyncStream, 7));
  records.add(testing::sample_wait(10, 30, kSyncEvent, kNoStream));
  records.add(testing::sample_wait(10, 30, 99, kNoStream));
  const ActivityTrace trace = parse(records.bytes());
  EXPECT_THAT(names(trace), ElementsAre("Stream Sync", "Event Sync", "Unknown"));
  EXPECT_EQ(trace.activities[0].kind, ActivityKind::kSynchronization);
  EXPECT_EQ(trace.activities[0].stream, 7);
  EXPECT_EQ(trace.activities[1].stream, -1);
}

TEST(CuptiParser, an_overhead_is_named) {
  FakeRecords records;
  for (const std::uint32_t what : {0U, 1U, 1U << 16U, 5U << 16U, 60U << 16U}) {
    records.add(testing::sample_overhead(10, 30, what));
  }
  EXPECT_THAT(names(parse(records.bytes())),
              ElementsAre("Unknown", "Driver Compiler", "Buffer Flush", "Lazy Function Loading",
                          "Unknown"));
}

TEST(CuptiParser, records_of_other_kinds_are_skipped) {
  FakeRecords records;
  records.add(Record{kFakeOtherKind}).add(testing::sample_copy(10, 30)).add(Record{kFakeOtherKind});
  const ActivityTrace trace = parse(records.bytes());
  EXPECT_THAT(trace.activities, SizeIs(1));
  EXPECT_EQ(trace.unreadable, 0U);
}

TEST(CuptiParser, an_empty_buffer_holds_nothing) {
  std::vector<std::uint8_t> bytes;
  const ActivityTrace trace = parse(bytes);
  EXPECT_THAT(trace.activities, IsEmpty());
  EXPECT_EQ(trace.unreadable, 0U);
  EXPECT_EQ(count_records(fake_next_record, bytes), 0U);
}

// The sanitizers check that nothing behind the end is read.
TEST(CuptiParser, a_record_truncated_by_the_end_of_the_buffer_is_left_out) {
  FakeRecords whole;
  whole.add(testing::sample_copy(10, 30)).add(testing::sample_kernel(40, 60, "k"));
  const std::size_t first = sizeof(MemcpyRecord) + kFakeTail;
  const std::size_t enough = first + sizeof(KernelRecord);  // All fields that are read are there.
  for (std::size_t size = first + 1; size < enough; ++size) {
    FakeRecords truncated = whole;
    const ActivityTrace trace = parse(truncated.truncate_to(size).bytes());
    EXPECT_THAT(trace.activities, SizeIs(1)) << size;
    EXPECT_EQ(trace.unreadable, 1U) << size;
  }
  EXPECT_THAT(parse(whole.truncate_to(enough).bytes()).activities, SizeIs(2));
}

TEST(CuptiParser, a_kind_that_the_library_does_not_know_ends_the_buffer) {
  FakeRecords records;
  records.add(testing::sample_copy(10, 30));
  const std::uint32_t nonsense = 0xdeadbeef;
  records.bytes().resize(records.bytes().size() + 128);
  std::memcpy(&records.bytes()[sizeof(MemcpyRecord) + kFakeTail], &nonsense, sizeof(nonsense));
  const ActivityTrace trace = parse(records.bytes());
  EXPECT_THAT(trace.activities, SizeIs(1));
  EXPECT_EQ(trace.unreadable, 1U);
}

TEST(CuptiParser, a_record_that_repeats_ends_the_parsing) {
  FakeRecords records;
  records.add(testing::sample_copy(10, 30)).add(testing::sample_copy(40, 60));
  const ActivityTrace trace =
      parse(records.bytes(), [](std::uint8_t* buffer, std::size_t, Record** record) {
        *record = reinterpret_cast<Record*>(buffer);
        return kSuccess;
      });
  EXPECT_THAT(trace.activities, SizeIs(1));
  EXPECT_EQ(trace.unreadable, 1U);
}

TEST(CuptiParser, a_record_outside_the_buffer_ends_the_parsing) {
  FakeRecords records;
  records.add(testing::sample_copy(10, 30));
  for (NextRecord *const next : std::initializer_list<NextRecord*>{
           [](std::uint8_t*buffer, std::size_t valid, Record**record) {
             *record = reinterpret_cast<Record*>(buffer + valid);
             return kSuccess;
           },
           [](std::uint8_t*buffer, std::size_t, Record**record) {
             *record = reinterpret_cast<Record*>(reinterpret_cast<std::uintptr_t>(buffer) - 64);
             return kSuccess;
           },
           [](std::uint8_t*, std::size_t, Record**record) {
             *record = nullptr;
             return kSuccess;
           }}) {
    const ActivityTrace trace = parse(records.bytes(), next);
    EXPECT_THAT(trace.activities, IsEmpty());
    EXPECT_EQ(trace.unreadable, 1U);
  }
}

TEST(CuptiParser, activities_without_both_times_are_counted_and_left_out) {
  FakeRecords records;
  records.add(testing::sample_kernel(0, 0, "k"));   // Had not started.
  records.add(testing::sample_kernel(50, 0, "k"));  // Was still running.
  records.add(testing::sample_copy(10, 30));
  const ActivityTrace trace = parse(records.bytes());
  EXPECT_THAT(trace.activities, SizeIs(1));
  EXPECT_EQ(trace.unfinished, 2U);
  EXPECT_EQ(trace.unreadable, 0U);
}

TEST(CuptiParser, counts_records_without_parsing_them) {
  FakeRecords records;
  records.add(testing::sample_copy(10, 30)).add(Record{kFakeOtherKind});
  EXPECT_EQ(count_records(fake_next_record, records.bytes()), 2U);
  EXPECT_EQ(count_records(fake_next_record,
                          records.add(testing::sample_copy(10, 30)).truncate_to(140).bytes()),
            3U);
}

}  // namespace
}  // namespace feedrate::cupti
