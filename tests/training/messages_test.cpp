// SPDX-License-Identifier: Apache-2.0
#include "training/messages.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace feedrate::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;

template <typename Message>
Message parsed(std::string_view line) {
  return std::get<Message>(parse_script_message(line));
}

TEST(ScriptMessages, hello_has_a_rank_or_none) {
  const auto process = parsed<ScriptProcess>(
      R"({"event":"hello","process":12,"rank":3,"local_rank":1,"world_size":4,"python":"3.11.2","torch":"2.9.0","argv":["t.py"],"cpus":8,"resident":4096})");
  EXPECT_EQ(process.id, 12);
  EXPECT_EQ(process.rank, 3U);
  EXPECT_EQ(process.world_size, 4U);
  EXPECT_EQ(process.cpus, 8U);
  EXPECT_EQ(process.resident, 4096U);
  const auto alone = parsed<ScriptProcess>(
      R"({"event":"hello","process":12,"rank":null,"local_rank":null,"world_size":null,"python":"","torch":"","argv":[],"cpus":8,"resident":4096})");
  EXPECT_EQ(alone.rank, 0U);
  EXPECT_EQ(alone.world_size, 1U);
}

TEST(ScriptMessages, a_loader_of_an_old_torch_has_no_in_order) {
  const auto loader = parsed<ScriptLoader>(
      R"({"event":"loader","loader":0,"site":"/a/t.py:4","class":"DataLoader","dataset":"D","sampler":"RandomSampler","length":null,"rank":1,"ranks":4,"tune":0.02,"given":{"dataset":"<D>","shuffle":true,"sampler":null,"num_workers":2,"multiprocessing_context":"fork"},"settings":{"batch_size":8,"num_workers":2,"prefetch_factor":2,"pin_memory":false,"persistent_workers":false,"in_order":null,"drop_last":false,"timeout":0,"start_method":"fork"},"fixed":"The dataset is iterable."})");
  EXPECT_TRUE(loader.in_order);
  EXPECT_EQ(loader.length, std::nullopt);
  EXPECT_EQ(loader.why_fixed, "The dataset is iterable.");
  EXPECT_EQ(loader.rank, 1U);
  EXPECT_EQ(loader.ranks, 4U);
  EXPECT_EQ(loader.budget, 0.02);
  EXPECT_THAT(loader.given,
              ElementsAre(Pair("dataset", "D"), Pair("shuffle", "True"), Pair("sampler", "None"),
                          Pair("num_workers", "2"), Pair("multiprocessing_context", "'fork'")));
}

TEST(ScriptMessages, marks_are_batches_begins_ends_and_switches) {
  const auto marks = parsed<ScriptMarks>(
      R"({"event":"marks","rows":[1,0,10,20,-1,0, 1,0,20,30,8,5, 1,0,40,41,-2,0, 1,0,0,0,-3,17, 1,0,50,60,8,-1, 1,0,60,70,-4,0]})");
  ASSERT_THAT(marks, SizeIs(6));
  EXPECT_EQ(marks[5].kind, ScriptMark::Kind::kLeft);
  EXPECT_EQ(marks[0].kind, ScriptMark::Kind::kBegin);
  EXPECT_EQ(marks[1].kind, ScriptMark::Kind::kBatch);
  EXPECT_EQ(marks[1].samples, 8U);
  EXPECT_EQ(marks[1].cpu, Nanos(5));
  EXPECT_EQ(marks[2].kind, ScriptMark::Kind::kEnd);
  EXPECT_EQ(marks[3].kind, ScriptMark::Kind::kSwitched);
  EXPECT_EQ(marks[3].request, 17U);
  EXPECT_EQ(marks[4].cpu, std::nullopt) << "not measured";
}

TEST(ScriptMessages, an_unknown_idle_time_is_none) {
  const auto spans = parsed<ScriptSpans>(R"({"event":"spans","rows":[1,0,0,-1,7, 1,0,1,3,7]})");
  EXPECT_FALSE(spans[0].idle);
  EXPECT_EQ(spans[1].idle, Nanos(3));
}

TEST(ScriptMessages, other_lines_are_refused) {
  for (const std::string_view line :
       {"", "{", "[]", R"({"event":"nothing"})", R"({"event":"marks"})",
        R"({"event":"marks","rows":[1,2,3]})", R"({"event":"marks","rows":[1,0,20,10,8,0]})",
        R"({"event":"marks","rows":[-1,0,10,20,8,0]})",
        R"({"event":"marks","rows":[1,0,10,20,-5,0]})",
        R"({"event":"marks","rows":[1,0,10,18446744073709551615,8,0]})",
        R"({"event":"marks","rows":[1,0,10,20.5,8,0]})", R"({"event":"hello","process":0})"}) {
    EXPECT_THROW(static_cast<void>(parse_script_message(line)), Error) << line;
  }
}

TEST(ScriptMessages, deep_nesting_is_refused_before_parsing) {
  const std::string line =
      R"({"event":"hello","process":)" + std::string(80'000, '[') + std::string(80'000, ']') + "}";
  EXPECT_THAT([&] { static_cast<void>(parse_script_message(line)); },
              ::testing::ThrowsMessage<Error>(HasSubstr("nested more than 64 deep")));
}

TEST(ScriptMessages, a_long_value_is_not_repeated_in_the_error) {
  const std::string line = R"({"event":"hello","process":")" + std::string(80'000, 'x') + R"("})";
  try {
    static_cast<void>(parse_script_message(line));
    FAIL();
  } catch (const Error& error) {
    EXPECT_LT(std::string_view(error.what()).size(), 300U);
  }
}

TEST(ScriptMessages, only_rows_may_be_long) {
  std::string rows = "0,0,1,1,8,0";
  for (int i = 0; i < 10'000; ++i) rows += ",0,0,1,1,8,0";
  EXPECT_THAT(parsed<ScriptMarks>(R"({"event":"marks","rows":[)" + rows + "]}"), SizeIs(10'001));
  const std::string note =
      R"({"event":"note","loader":0,"text":")" + std::string(100'000, 'x') + R"("})";
  EXPECT_THROW(static_cast<void>(parse_script_message(note)), Error);
}

// Stale environment variables may have any value.
TEST(ScriptMessages, invalid_ranks_are_those_of_a_single_process) {
  for (const std::string_view rank :
       {"99999999999999999999999", "9223372036854775807", "-1", "\"a\""}) {
    const auto process = parsed<ScriptProcess>(fmt::format(
        R"({{"event":"hello","process":7,"rank":{0},"world_size":{0},"python":"3","torch":"2","cpus":2,"resident":0}})",
        rank));
    EXPECT_EQ(process.rank, 0U) << rank;
    EXPECT_EQ(process.world_size, 1U) << rank;
  }
}

TEST(ScriptMessages, absurd_settings_are_refused) {
  EXPECT_THROW(
      static_cast<void>(parse_script_message(
          R"({"event":"hello","process":7,"rank":0,"world_size":1,"python":"3","torch":"2","cpus":99999999,"resident":0})")),
      Error);
}

TEST(ScriptMessages, a_request_has_the_names_of_pytorch) {
  ScriptLoader to;
  to.number = 3;
  to.num_workers = 4;
  to.prefetch_factor = 8;
  const std::string line = switch_message(to, 5, 120);
  EXPECT_THAT(line, HasSubstr(R"("num_workers":4)"));
  EXPECT_THAT(line, HasSubstr(R"("prefetch_factor":8)"));
  EXPECT_THAT(line, HasSubstr(R"("request":5)"));
  EXPECT_THAT(line, HasSubstr(R"("at":120)"));
  EXPECT_EQ(line.back(), '\n');
}

}  // namespace
}  // namespace feedrate::testing
