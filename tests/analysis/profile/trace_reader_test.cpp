// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/trace_reader.h"

#include <stdexcept>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/analysis/profile/gzip_file.h"
#include "tests/support/message_of.h"
#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using testing::TempFolder;
using testing::write_file;
using testing::write_gzip_file;

fs::path golden(const char* name) {
  return fs::path(FEEDRATE_SOURCE_DIR) / "tests/golden/profile" / name;
}

std::string span(std::string_view category, std::string_view name, double begin, double duration,
                 std::string_view more = R"("pid": 1, "tid": 1)") {
  return fmt::format(R"({{"ph": "X", "cat": "{}", "name": "{}", "ts": {}, "dur": {}, {}}})",
                     category, name, begin, duration, more);
}

class TraceReaderTest : public ::testing::Test {
 protected:
  [[nodiscard]] TraceFile read(std::string_view text) const {
    write_file(file(), text);
    return read_trace(file());
  }
  [[nodiscard]] TraceFile read_events(const std::vector<std::string>& events) const {
    return read(fmt::format(R"({{"traceEvents": [{}]}})", fmt::join(events, ",\n")));
  }
  [[nodiscard]] std::string error_of(std::string_view text) const {
    return testing::message_of<FormatError>([&] { return read(text); });
  }
  [[nodiscard]] fs::path file() const { return folder_ / "trace.json"; }

  TempFolder folder_;
};

std::vector<Role> roles(const Timeline& timeline) {
  std::vector<Role> found;
  for (const Activity& activity : timeline.activities) found.push_back(activity.role);
  return found;
}

std::vector<std::string> names(const Timeline& timeline) {
  std::vector<std::string> found;
  for (const Activity& activity : timeline.activities) {
    found.push_back(timeline.names.text(activity.name));
  }
  return found;
}

const Activity& first_of(const Timeline& timeline, Role role) {
  for (const Activity& activity : timeline.activities) {
    if (activity.role == role) return activity;
  }
  throw std::out_of_range("no such role");
}

TEST_F(TraceReaderTest, ignores_spans_that_are_too_long_to_sum) {
  const TraceFile file =
      read_events({span("cpu_op", "nine years", 0, 3e14), span("cpu_op", "nine more", 1, 3e14),
                   span("cpu_op", "microseconds", 2, 5)});
  EXPECT_THAT(names(file.timeline), ElementsAre("nine years", "microseconds"));
}

TEST_F(TraceReaderTest, reads_todays_layout) {
  const TraceFile trace = read_trace(golden("gpu_three_steps.json"));
  EXPECT_EQ(trace.events, 33U);
  EXPECT_FALSE(trace.damaged_at);
  EXPECT_EQ(trace.repaired, 0U);
  EXPECT_FALSE(trace.is_truncated);
  const Timeline& timeline = trace.timeline;
  ASSERT_THAT(timeline.steps, SizeIs(3));
  EXPECT_EQ(timeline.steps[1].number, 5);
  EXPECT_EQ(timeline.steps[1].span, (TimeInterval{Nanos(1'000'000), Nanos(2'000'000)}));
  EXPECT_EQ(timeline.main_lane, std::pair(std::int64_t{100}, std::int64_t{100}));
  EXPECT_THAT(timeline.activities, SizeIs(3 * 6 + 2));
  EXPECT_THAT(timeline.lane_names, ElementsAre(Pair(Pair(0, 7), "stream 7")));
}

TEST_F(TraceReaderTest, reads_the_fields_of_a_kernel_and_a_copy) {
  const Timeline timeline = read_trace(golden("gpu_three_steps.json")).timeline;
  const Activity& kernel = first_of(timeline, Role::kKernel);
  EXPECT_EQ(timeline.names.text(kernel.name), "void conv<float>(float*, \"int\")");
  EXPECT_EQ(kernel.span, (TimeInterval{Nanos(480'000), Nanos(1'180'000)}));
  EXPECT_EQ(kernel.device, 0);
  EXPECT_EQ(kernel.lane, 7);
  EXPECT_EQ(kernel.correlation, 13U);
  EXPECT_EQ(kernel.external_id, 4U);
  EXPECT_EQ(kernel.blocks_per_sm, 2.0F);
  EXPECT_EQ(kernel.occupancy, 0.5F);
  const Activity& copy = first_of(timeline, Role::kMemcpy);
  EXPECT_EQ(copy.bytes, 1'000'000U);
  EXPECT_EQ(copy.source, MemoryKind::kPageable);
  EXPECT_EQ(copy.target, MemoryKind::kDevice);
}

TEST_F(TraceReaderTest, reads_the_gpus_and_their_memory_peaks) {
  const std::vector<GpuProperties> gpus = read_trace(golden("gpu_three_steps.json")).timeline.gpus;
  ASSERT_THAT(gpus, SizeIs(1));
  EXPECT_EQ(gpus[0].device, 0);
  EXPECT_EQ(gpus[0].name, "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(gpus[0].memory_bytes, 42'297'786'368U);
  EXPECT_EQ(gpus[0].compute_major, 8);
  EXPECT_EQ(gpus[0].multiprocessors, 108);
  EXPECT_EQ(gpus[0].peak.allocated_bytes, 900'000'000U);
}

TEST_F(TraceReaderTest, reads_the_facts_beside_the_events) {
  EXPECT_THAT(
      read_trace(golden("gpu_three_steps.json")).facts,
      ::testing::IsSupersetOf({Pair("cuda_runtime_version", "12010"),
                               Pair("traceName", "host_100.1700000000000000000.pt.trace.json")}));
}

TEST_F(TraceReaderTest, reads_the_old_layout_that_is_invalid_json) {
  const TraceFile trace = read_trace(golden("old_layout.json"));
  EXPECT_EQ(trace.events, 9U);
  EXPECT_FALSE(trace.damaged_at);
  EXPECT_EQ(trace.repaired, 4U);
  EXPECT_FALSE(trace.is_truncated);
  EXPECT_THAT(names(trace.timeline),
              ElementsAre("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                          "train \"fast\" epoch", "cudaLaunchKernel", "volta_sgemm_128x64_nn",
                          "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                          "cudaLaunchKernel", "volta_sgemm_128x64_nn"));
  EXPECT_THAT(roles(trace.timeline),
              ElementsAre(Role::kDataLoader, Role::kCpuExec, Role::kRuntime, Role::kKernel,
                          Role::kDataLoader, Role::kRuntime, Role::kKernel));
  ASSERT_THAT(trace.timeline.steps, SizeIs(2));
  EXPECT_EQ(trace.timeline.steps[1].span, (TimeInterval{Nanos(2'000'000), Nanos(3'000'000)}));
  EXPECT_EQ(trace.timeline.activities[3].lane, 7);
  EXPECT_EQ(trace.timeline.activities[3].device, 0);
  EXPECT_EQ(trace.timeline.activities[3].occupancy, 0.0F);
}

TEST_F(TraceReaderTest, gzip_gives_the_same) {
  write_gzip_file(file(), testing::read_file(golden("gpu_three_steps.json")));
  EXPECT_EQ(read_trace(file()).timeline.activities.size(), 20U);
}

TEST_F(TraceReaderTest, events_may_come_before_all_else_and_unsorted) {
  const TraceFile trace =
      read(R"({"traceEvents": [)" + span("kernel", "late", 30, 1, R"("pid": 2, "tid": 7)") + "," +
           span("cpu_op", "early", 10, 5) + R"(], "deviceProperties": [{"id": 2, "name": "B"}]})");
  EXPECT_THAT(names(trace.timeline), ElementsAre("early", "late"));
  EXPECT_EQ(trace.timeline.activities[0].span.begin, Nanos(0));
  EXPECT_EQ(trace.timeline.activities[1].span.begin, Nanos(20'000));
  EXPECT_EQ(trace.timeline.activities[1].device, 2);
  ASSERT_THAT(trace.timeline.gpus, SizeIs(1));
  EXPECT_EQ(trace.timeline.gpus[0].name, "B");
}

TEST_F(TraceReaderTest, absolute_times_keep_their_nanoseconds) {
  const TraceFile trace = read(
      R"([{"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1700000000123456.789, "dur": 0.001},
          {"ph": "X", "cat": "cpu_op", "name": "b", "ts": 1700000000123456.792, "dur": 1.005}])");
  EXPECT_EQ(trace.timeline.activities[0].span, (TimeInterval{Nanos(0), Nanos(1)}));
  EXPECT_EQ(trace.timeline.activities[1].span, (TimeInterval{Nanos(3), Nanos(1008)}));
}

TEST_F(TraceReaderTest, kernels_of_communication_operators_are_communication_in_any_order) {
  const TraceFile trace = read_events(
      {span("kernel", "reduce", 5, 1, R"("pid": 0, "tid": 7, "args": {"External id": 3})"),
       span("kernel", "other", 6, 1, R"("pid": 0, "tid": 7, "args": {"External id": 4})"),
       span("kernel", "none", 7, 1, R"("pid": 0, "tid": 7)"),
       span("cpu_op", "nccl:all_reduce", 1, 1, R"("pid": 1, "tid": 1, "args": {"External id": 3})"),
       span("cpu_op", "gloo:reduce", 2, 1)});
  EXPECT_THAT(roles(trace.timeline),
              ElementsAre(Role::kCommunication, Role::kCommunication, Role::kCommunication,
                          Role::kKernel, Role::kKernel));
}

TEST_F(TraceReaderTest, the_stream_of_the_arguments_has_priority) {
  const TraceFile trace = read_events(
      {span("kernel", "k", 1, 1, R"("pid": 9, "tid": 8, "args": {"device": 1, "stream": 20})")});
  EXPECT_EQ(trace.timeline.activities[0].device, 1);
  EXPECT_EQ(trace.timeline.activities[0].lane, 20);
}

TEST_F(TraceReaderTest, python_frames_and_other_categories_are_ignored) {
  const TraceFile trace = read_events(
      {span("cpu_op", "a", 1, 1), span("python_function", "f", 0, 9), span("cuda_sync", "s", 0, 9),
       R"({"name": "b", "cat": "overhead", "ph": "X", "ts": 1, "dur": 2})", R"({"ph": "X"})",
       R"({"cat": "cpu_op", "name": "no time", "ph": "X"})", "{}",
       R"({"cat": "cpu_op", "name": "begun", "ph": "B", "ts": 1})"});
  EXPECT_THAT(names(trace.timeline), ElementsAre("a"));
  EXPECT_EQ(trace.events, 8U);
  EXPECT_FALSE(trace.damaged_at);
}

TEST_F(TraceReaderTest, reads_what_pytorch_without_kineto_exports) {
  const TraceFile trace = read(
      R"([{"name": "ProfilerStep#1", "ph": "X", "ts": 5, "dur": 90, "tid": 1, "pid": "CPU functions", "args": {}},
          {"name": "aten::add", "ph": "X", "ts": 6, "dur": 2, "tid": 1, "pid": "CPU functions", "args": {}},
          {"name": "aten::add", "ph": "s", "ts": 6, "tid": 1, "pid": "CPU functions", "id": 1, "cat": "cpu_to_cuda", "args": {}},
          {"name": "add_kernel", "ph": "X", "ts": 9, "dur": 3, "tid": 2, "pid": "CUDA functions", "args": {}}, ])");
  EXPECT_THAT(trace.timeline.steps, SizeIs(1));
  EXPECT_THAT(roles(trace.timeline), ElementsAre(Role::kCpuExec, Role::kKernel));
  EXPECT_EQ(trace.timeline.activities[1].device, 2);
}

TEST_F(TraceReaderTest, a_negative_duration_is_none) {
  EXPECT_EQ(read_events({span("cpu_op", "a", 5, -3)}).timeline.activities[0].span,
            (TimeInterval{Nanos(0), Nanos(0)}));
}

TEST_F(TraceReaderTest, the_copy_of_a_step_on_the_gpu_is_no_step) {
  const TraceFile trace =
      read_events({span("user_annotation", "ProfilerStep#3", 1, 5),
                   span("gpu_user_annotation", "ProfilerStep#3", 2, 5, R"("pid": 0, "tid": 7)"),
                   span("gpu_user_annotation", "forward", 2, 5, R"("pid": 0, "tid": 7)")});
  EXPECT_THAT(trace.timeline.steps, SizeIs(1));
  EXPECT_THAT(names(trace.timeline), IsEmpty());
}

TEST_F(TraceReaderTest, the_main_lane_is_the_loaders_if_no_step_is_marked) {
  const TraceFile trace = read_events(
      {span("cpu_op", "a", 1, 1, R"("pid": 4, "tid": 5)"),
       span("user_annotation", "enumerate(DataLoader)#x.__next__", 2, 1, R"("pid": 4, "tid": 6)")});
  EXPECT_EQ(trace.timeline.main_lane, std::pair(std::int64_t{4}, std::int64_t{6}));
}

TEST_F(TraceReaderTest, damage_ends_the_reading_and_is_reported) {
  const TraceFile trace = read_events({span("cpu_op", "a", 1, 1), span("cpu_op", "b", 2, 1),
                                       R"({"ph": "X" "name" 5})", span("cpu_op", "c", 3, 1)});
  EXPECT_THAT(names(trace.timeline), ElementsAre("a", "b"));
  EXPECT_EQ(trace.events, 2U);
  EXPECT_FALSE(trace.is_truncated);
  ASSERT_TRUE(trace.damaged_at);
  EXPECT_LT(*trace.damaged_at, fs::file_size(file()));
}

TEST_F(TraceReaderTest, a_truncated_file_is_read_to_its_end) {
  const std::string text = testing::read_file(golden("gpu_three_steps.json"));
  const TraceFile trace = read(text.substr(0, text.find("ProfilerStep#6") + 5));
  EXPECT_TRUE(trace.is_truncated);
  EXPECT_THAT(trace.timeline.steps, SizeIs(2));
  EXPECT_FALSE(trace.damaged_at);
}

TEST_F(TraceReaderTest, truncated_gzip_is_read_to_its_end) {
  std::string text = "[" + span("cpu_op", "a", 1, 1);
  for (int i = 0; i < 5000; ++i) text += ",\n" + span("cpu_op", fmt::format("op{}", i * i), i, 1);
  write_gzip_file(file(), text + "]");
  fs::resize_file(file(), fs::file_size(file()) / 2);
  const TraceFile trace = read_trace(file());
  EXPECT_TRUE(trace.is_truncated);
  EXPECT_GT(trace.timeline.activities.size(), 1000U);
}

TEST_F(TraceReaderTest, every_prefix_of_a_trace_is_read_or_rejected) {
  for (const char* name : {"gpu_three_steps.json", "old_layout.json"}) {
    const std::string text = testing::read_file(golden(name));
    for (std::size_t length = 0; length < text.size(); length += 41) {
      write_file(file(), text.substr(0, length));
      try {
        const TraceFile trace = read_trace(file());
        EXPECT_TRUE(trace.is_truncated) << name << ' ' << length;
        EXPECT_FALSE(trace.damaged_at) << name << ' ' << length;
      } catch (const FormatError&) {
      }
    }
  }
}

TEST_F(TraceReaderTest, every_changed_byte_is_survived) {
  const std::string text = testing::read_file(golden("old_layout.json"));
  for (const char byte : {'"', '{', '}', '[', ']', '\\', '\0', '\xFF'}) {
    for (std::size_t at = 0; at < text.size(); at += 5) {
      std::string changed = text;
      changed[at] = byte;
      write_file(file(), changed);
      try {
        static_cast<void>(read_trace(file()));
      } catch (const FormatError&) {
      }
    }
  }
}

TEST_F(TraceReaderTest, other_files_are_rejected_with_how_to_export_a_trace) {
  for (const char* text : {"", "\n", "<!DOCTYPE html><html><body>Not found</body></html>",
                           "{\"cells\": []}", "PK\x03\x04", "null", "{\"traceEvents\": 5}"}) {
    EXPECT_THAT(error_of(text), AllOf(HasSubstr(file().string()), HasSubstr("is not a trace"),
                                      HasSubstr("export_chrome_trace")))
        << text;
  }
}

TEST_F(TraceReaderTest, a_trace_without_counted_activities_is_rejected) {
  EXPECT_THAT(error_of(R"({"traceEvents": []})"), HasSubstr("in its 0 events"));
  EXPECT_THAT(error_of(R"({"traceEvents": [{"ph": "M"}, {"a": 1: 2}]})"),
              HasSubstr("in its 1 events before damage near byte 41"));
}

TEST_F(TraceReaderTest, times_at_the_ends_of_their_range_do_not_overflow) {
  const TraceFile trace = read_events(
      {R"({"ph": "X", "cat": "cpu_op", "name": "a", "ts": -4600000000000000, "dur": 7})",
       R"({"ph": "X", "cat": "cpu_op", "name": "b", "ts": 4600000000000000, "dur": 4600000000000000})",
       R"({"ph": "X", "cat": "cpu_op", "name": "c", "ts": 4600000000000000, "dur": 1})"});
  EXPECT_THAT(names(trace.timeline), ElementsAre("a", "c"));
}

TEST_F(TraceReaderTest, absurd_numbers_of_gpus_are_bounded) {
  const TraceFile trace = read(
      R"({"deviceProperties": [{"id": 99999999, "name": "x"}, 5, {"id": "0"}], "traceEvents": [)" +
      span("kernel", "k", 1, 1, R"("pid": 77777777777, "tid": 1)") + "," +
      R"({"ph": "i", "name": "[memory]", "args": {"Device Type": 1, "Device Id": 88888888}}]})");
  EXPECT_THAT(trace.timeline.gpus, SizeIs(1));
  EXPECT_LT(trace.timeline.activities[0].device, 2000);
}

TEST_F(TraceReaderTest, reports_progress_and_stops_on_request) {
  std::uint64_t done = 0, total = 0;
  TraceReadOptions options;
  options.on_progress = [&](std::uint64_t now, std::uint64_t all) { done = now, total = all; };
  static_cast<void>(read_trace(golden("old_layout.json"), options));
  EXPECT_EQ(done, fs::file_size(golden("old_layout.json")));
  EXPECT_EQ(total, done);
  std::stop_source source;
  source.request_stop();
  options.stop = source.get_token();
  EXPECT_THROW(static_cast<void>(read_trace(golden("old_layout.json"), options)), Cancelled);
}

TEST_F(TraceReaderTest, long_facts_and_lists_are_no_facts) {
  const TraceFile trace = read(
      R"({"a": "x", "b": 1.5, "c": [1], "d": {"e": 1}, "f": null, "g": ")" + std::string(500, 'y') +
      R"(", "h": N/A, "i": true, "traceEvents": [)" + span("cpu_op", "a", 1, 1) + "]}");
  EXPECT_THAT(trace.facts, ElementsAre(Pair("a", "x"), Pair("b", "1.5"), Pair("i", "true")));
}

}  // namespace
}  // namespace feedrate
