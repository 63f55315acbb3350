// SPDX-License-Identifier: Apache-2.0
#include "training/call_edit.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/made_call.h"
#include "tests/training/made_script.h"

namespace feedrate::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ScriptLoader called(std::string_view marked, std::size_t num_workers = 0) {
  ScriptLoader loader = made_loader(num_workers);
  loader.call = made_call(marked);
  for (const ScriptCall::Argument& argument : loader.call->arguments) {
    loader.given.emplace_back(
        argument.name, loader.call->text.substr(argument.begin, argument.end - argument.begin));
  }
  return loader;
}

ScriptLoader with(ScriptLoader loader, std::size_t num_workers,
                  std::optional<std::size_t> prefetch_factor = std::nullopt) {
  loader.num_workers = num_workers;
  loader.prefetch_factor = num_workers > 0 ? prefetch_factor : std::nullopt;
  return loader;
}

std::string edited(const ScriptLoader& from, const ScriptLoader& to) {
  return edit_call(from, argument_changes(from, to)).text;
}

TEST(CallEdit, changes_any_value) {
  const ScriptLoader from =
      called("DataLoader(data, batch_size=«bs», num_workers=«args.workers»‹, ›)", 2);
  EXPECT_EQ(edited(from, with(from, 4)), "DataLoader(data, batch_size=bs, num_workers=4)");
}

TEST(CallEdit, inserts_missing_arguments) {
  ScriptLoader from = called("DataLoader(data, batch_size=«bs»‹, ›)");
  ScriptLoader to = with(from, 4, 4);
  to.pin_memory = true;
  EXPECT_EQ(edited(from, to),
            "DataLoader(data, batch_size=bs, num_workers=4, prefetch_factor=4, pin_memory=True)");
  EXPECT_EQ(edited(from, with(from, 4, 2)), "DataLoader(data, batch_size=bs, num_workers=4)");
  from.context = "fork";
  EXPECT_EQ(edited(from, with(from, 1)),
            "DataLoader(data, batch_size=bs, num_workers=1, multiprocessing_context=\"fork\")");
}

TEST(CallEdit, adds_no_context_if_there_are_workers) {
  ScriptLoader from = called("DataLoader(data, num_workers=«2»‹, ›)", 2);
  from.context = "fork";
  EXPECT_EQ(edited(from, with(from, 4)), "DataLoader(data, num_workers=4)");
}

TEST(CallEdit, keeps_the_separator_that_the_call_needs) {
  const ScriptLoader from = called("DataLoader(\n    data,‹ ›\n)");
  EXPECT_EQ(edited(from, with(from, 4)), "DataLoader(\n    data, num_workers=4\n)");
}

TEST(CallEdit, removes_arguments_that_are_refused_without_workers) {
  const char* const calls[] = {
      "DataLoader(data, num_workers=«2», prefetch_factor=«4»‹, ›)",
      "DataLoader(data, prefetch_factor=«4», num_workers=«2»‹, ›)",
      "DataLoader(data, prefetch_factor = («4») , num_workers=«2»‹, ›)",
      "DataLoader(data, num_workers=«2», prefetch_factor=«4», timeout=«30»‹, ›)",
      "DataLoader(data, prefetch_factor=«4», timeout=«30», num_workers=«2»‹, ›)",
  };
  for (const char* const call : calls) {
    const ScriptLoader from = called(call, 2);
    EXPECT_EQ(edited(from, with(from, 0)), "DataLoader(data, num_workers=0)") << call;
  }
}

TEST(CallEdit, replaces_a_removed_argument_by_an_inserted_one) {
  const ScriptLoader from =
      called("DataLoader(data, num_workers=«2», prefetch_factor=«4»‹, ›,)", 2);
  ScriptLoader to = with(from, 0);
  to.pin_memory = true;
  EXPECT_EQ(edited(from, to), "DataLoader(data, num_workers=0, pin_memory=True,)");
}

TEST(CallEdit, keeps_arguments_that_are_accepted_without_workers) {
  const ScriptLoader from =
      called("DataLoader(data, num_workers=«2», persistent_workers=«False», timeout=«0»‹, ›)", 2);
  EXPECT_EQ(edited(from, with(from, 0)),
            "DataLoader(data, num_workers=0, persistent_workers=False, timeout=0)");
}

TEST(CallEdit, removes_a_whole_line_with_the_argument) {
  const ScriptLoader from = called(
      "DataLoader(\n    data,\n    prefetch_factor=«4»,\n    num_workers=«2»‹, ›,  # all\n)", 2);
  const CallEdit edit = edit_call(from, argument_changes(from, with(from, 0)));
  EXPECT_EQ(edit.text, "DataLoader(\n    data,\n    num_workers=0,  # all\n)");
  ASSERT_THAT(edit.lines, SizeIs(2));
  EXPECT_EQ(edit.lines[0].line, 2U);
  EXPECT_EQ(edit.lines[0].before, "    prefetch_factor=4,");
  EXPECT_FALSE(edit.lines[0].after);
  EXPECT_EQ(edit.lines[1].line, 3U);
  EXPECT_EQ(edit.lines[1].after, "    num_workers=0,  # all");
}

TEST(CallEdit, keeps_comments_about_a_removed_argument) {
  const ScriptLoader from = called(
      "DataLoader(data,  # ours\n  num_workers=«2»,  # many\n  prefetch_factor=«4»‹, ›  # deep\n)",
      2);
  EXPECT_EQ(edited(from, with(from, 0)),
            "DataLoader(data,  # ours\n  num_workers=0,  # many\n    # deep\n)");
}

TEST(CallEdit, leaves_arguments_open_that_may_be_elsewhere) {
  ScriptLoader from = called("DataLoader(data, num_workers=«2», **more‹, ›)", 2);
  from.call->is_open = true;
  ScriptLoader to = with(from, 4, 4);
  const CallEdit edit = edit_call(from, argument_changes(from, to));
  EXPECT_EQ(edit.text, "DataLoader(data, num_workers=4, **more)");
  ASSERT_THAT(edit.open, SizeIs(1));
  EXPECT_EQ(edit.open[0].name, "prefetch_factor");
}

TEST(CallEdit, inserts_no_argument_given_by_position_or_by_a_class) {
  ScriptLoader positional = called("DataLoader(data, 8, True, None, None, 2‹, ›)", 2);
  positional.given.emplace_back("num_workers", "2");
  EXPECT_THAT(edit_call(positional, argument_changes(positional, with(positional, 4))).open,
              SizeIs(1));
  ScriptLoader own = called("Loader(data‹, ›)", 2);
  EXPECT_THAT(edit_call(own, argument_changes(own, with(own, 4))).open, SizeIs(1));
  own = called("Loader(data‹, ›)");
  own.type = "Loader";
  EXPECT_THAT(edit_call(own, argument_changes(own, with(own, 4))).open, SizeIs(1));
}

TEST(CallEdit, replaces_a_value_of_several_lines_as_one_run) {
  const ScriptLoader from =
      called("DataLoader(data, num_workers=«max(\n    1, cpus)», pin_memory=«pin»‹, ›)", 2);
  ScriptLoader to = with(from, 4);
  to.pin_memory = true;
  const CallEdit edit = edit_call(from, argument_changes(from, to));
  ASSERT_THAT(edit.lines, SizeIs(1));
  EXPECT_EQ(edit.lines[0].before, from.call->text);
  EXPECT_EQ(edit.lines[0].after, "DataLoader(data, num_workers=4, pin_memory=True)");
}

// Calls of random arguments, values, comments and line ends.
class RandomCalls {
 public:
  struct Made {
    std::string marked;    // For made_call().
    std::string expected;  // With four workers and two batches each.
  };

  Made make() {
    Made made{"mod.DataLoader(", "mod.DataLoader("};
    const auto both = [&](const std::string& text) {
      made.marked += text;
      made.expected += text;
    };
    both(space() + value());
    for (const char* const name : {"batch_size", "num_workers", "sampler", "collate_fn"}) {
      if (std::string_view(name) != "num_workers" && chance(2)) continue;
      both(separator() + name + (chance(4) ? " = " : "="));
      const std::string old = value();
      made.marked += "«" + old + "»";
      made.expected += std::string_view(name) == "num_workers" ? "4" : old;
    }
    made.marked += "‹, ›";
    made.expected += ", pin_memory=True";
    both(chance(3) ? ",\n)" : space() + ")");
    return made;
  }

 private:
  bool chance(int of) { return std::uniform_int_distribution<>(1, of)(random_) == 1; }
  std::string any(std::initializer_list<const char*> texts) {
    return *(texts.begin() +
             std::uniform_int_distribution<std::ptrdiff_t>(0, std::ssize(texts) - 1)(random_));
  }
  std::string space() { return any({"", " ", "\n    ", "  # a, b=(3\n  ", "\t"}); }
  std::string separator() { return any({", ", ",", ",\n    ", ",  # num_workers=9, é\n  "}); }
  std::string value() {
    return any({"args.workers", "f(a, b=(1, 2))", "\"num_workers=3, (\"", "'ä, €'", "x[1:2, 0]",
                "lambda b: {k: b[k] for k in b}", "max(\n    1,  # one\n    2)",
                "\"\"\"a\n,b\"\"\"", "4 if n_workers else 0", "-1"});
  }

  std::mt19937 random_{20261128};
};

// Applies the changed lines to the text, the last run first.
std::string with_runs(std::string text, const std::vector<ChangedLines>& runs) {
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    std::size_t at = 0;
    for (std::size_t line = 0; line < run->line; ++line) at = text.find('\n', at) + 1;
    EXPECT_EQ(text.substr(at, run->before.size()), run->before);
    text.replace(at, run->before.size(), *run->after);
  }
  return text;
}

TEST(CallEdit, of_random_calls_changes_only_the_arguments) {
  RandomCalls calls;
  for (int i = 0; i < 2000; ++i) {
    const RandomCalls::Made made = calls.make();
    const ScriptLoader from = called(made.marked, 2);
    ScriptLoader to = with(from, 4, 2);
    to.pin_memory = true;
    const CallEdit edit = edit_call(from, argument_changes(from, to));
    ASSERT_EQ(edit.text, made.expected) << made.marked;
    ASSERT_THAT(edit.open, IsEmpty());
    ASSERT_EQ(with_runs(from.call->text, edit.lines), made.expected);
  }
}

}  // namespace
}  // namespace feedrate::testing
