// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/torch/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/message_of.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

template <typename Message>
Message parse(std::string_view line) {
  return std::get<Message>(parse_torch_message(line));
}

std::string refusal(std::string_view line) {
  return testing::message_of([&] { return parse_torch_message(line); });
}

TEST(TorchMessages, a_batch_carries_its_marks_and_its_size) {
  const auto batch = parse<TorchBatch>(
      R"({"event":"batch","t0":5,"t1":9,"let_go":11,"samples":4,"bytes":1024,"pinned":true})");
  EXPECT_EQ(batch.asked, Nanos(5));
  EXPECT_EQ(batch.loaded, Nanos(9));
  EXPECT_EQ(batch.release, Nanos(11));
  EXPECT_EQ(batch.samples, 4U);
  EXPECT_EQ(batch.bytes, 1024U);
  EXPECT_TRUE(batch.pinned);
}

TEST(TorchMessages, an_iterable_dataset_has_no_number_of_batches) {
  EXPECT_FALSE(
      parse<TorchPrepared>(R"({"event":"prepared","batches_per_epoch":null,"samples_dropped":0})")
          .batches_per_epoch);
  EXPECT_EQ(
      parse<TorchPrepared>(R"({"event":"prepared","batches_per_epoch":7,"samples_dropped":0})")
          .batches_per_epoch,
      7U);
}

TEST(TorchMessages, marks_and_spans_come_in_rows) {
  const auto marks = parse<TorchMarks>(R"({"event":"marks","marks":[[1,2,3,4,8],[5,6,7,8,2]]})");
  ASSERT_THAT(marks.steps, SizeIs(2));
  EXPECT_EQ(marks.steps[1].trained, Nanos(8));
  EXPECT_EQ(marks.steps[1].samples, 2U);
  const auto spans = parse<TorchSpans>(R"({"event":"spans","spans":[[1,2,3,4]]})");
  ASSERT_THAT(spans.spans, SizeIs(1));
  EXPECT_EQ(spans.spans[0].compute_end, Nanos(4));
}

class Garbage : public ::testing::TestWithParam<std::string_view> {};

TEST_P(Garbage, is_an_error_that_shows_the_line) {
  EXPECT_THAT(refusal(GetParam()), AllOf(StartsWith("the Python child sent an invalid message"),
                                         HasSubstr(std::string(GetParam().substr(0, 20)))));
}

INSTANTIATE_TEST_SUITE_P(
    Lines, Garbage,
    ::testing::Values(
        "", "x", "[]", "3", "\"batch\"", "{", "{}", R"({"event":7})", R"({"event":"?"})",
        "\xFF\xFE\x00z", R"({"event":"batch"})",
        R"({"event":"batch","t0":-1,"t1":9,"let_go":9,"samples":4,"bytes":1,"pinned":true})",
        R"({"event":"batch","t0":1.5,"t1":9,"let_go":9,"samples":4,"bytes":1,"pinned":true})",
        R"({"event":"batch","t0":1,"t1":"9","let_go":9,"samples":4,"bytes":1,"pinned":true})",
        R"({"event":"batch","t0":18446744073709551615,"t1":9,"let_go":9,"samples":4,"bytes":1,"pinned":true})",
        R"({"event":"batch","t0":1e400,"t1":9,"let_go":9,"samples":4,"bytes":1,"pinned":true})",
        R"({"event":"batch","t0":1,"t1":9,"let_go":9,"samples":4,"bytes":1,"pinned":1})",
        R"({"event":"batch","t0":1,"t1":9,"let_go":9,"samples":1000000000000,"bytes":1,"pinned":true})",
        R"({"event":"batch","t0":1,"t1":9,"let_go":9,"samples":4,"bytes":4611686018427387904,"pinned":true})",
        R"({"event":"window","processes":5})", R"({"event":"window","processes":[null]})",
        R"({"event":"window_over"})", R"({"event":"window_over","processes":[]})",
        R"({"event":"window_over","processes":[],"tokens":5,"token_places":4,"epochs":0})",
        R"({"event":"window_over","processes":[],"tokens":3,"token_places":4,"epochs":-1})",
        R"({"event":"marks","marks":[[1,2,3,4]]})", R"({"event":"marks","marks":[1]})",
        R"({"event":"spans","spans":{"a":1}})", R"({"event":"warning","text":null})",
        R"({"event":"error","mistake":0,"headline":"","traceback":""})"));

TEST(TorchMessages, a_long_line_is_shown_by_its_beginning) {
  const std::string message = refusal(std::string(100'000, 'x'));
  EXPECT_LT(message.size(), 400U);
  EXPECT_THAT(message, HasSubstr("xxx…"));
}

TEST(TorchMessages, a_deep_line_is_refused_before_it_is_parsed) {
  EXPECT_THAT(refusal(R"({"event":)" + std::string(100'000, '[')),
              HasSubstr("nested more than 64 deep"));
}

TEST(TorchMessages, a_failure_reads_from_its_headline_to_the_traceback) {
  const auto failure = parse<TorchFailure>(
      R"({"event":"error","mistake":false,"headline":"ValueError: 7","traceback":"Traceback …"})");
  EXPECT_EQ(to_string(failure), "ValueError: 7\nTraceback …");
  EXPECT_EQ(to_string(TorchFailure{true, "no such module", ""}), "no such module");
}

}  // namespace
}  // namespace feedrate
