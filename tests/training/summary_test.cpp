// SPDX-License-Identifier: Apache-2.0
#include "training/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/made_script.h"

namespace feedrate::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A training that receives the messages of a script.
struct Watched {
  explicit Watched(const ScriptLoader& loader = made_loader(), std::size_t resident = 0)
      : script(loader, 0, [this, resident](std::size_t connection, ScriptMessage message) {
          if (auto* const process = std::get_if<ScriptProcess>(&message)) {
            process->resident = resident;
          }
          training.add(connection, message);
        }) {}

  [[nodiscard]] std::string text() const {
    return fmt::format("{}", fmt::join(summary_lines(training), "\n"));
  }

  WatchedTraining training{{}};
  MadeScript script;
};

TEST(RunSummary, has_the_call_the_times_and_the_verdict) {
  Watched watched;
  watched.script.steps(30, 30.0, 10.0);
  EXPECT_THAT(watched.text(),
              AllOf(HasSubstr("30 steps of train.py:42 DataLoader(ImageFolder, batch_size=8"),
                    HasSubstr("loading 30.0 ms (75 %), training 10.0 ms"), HasSubstr("INPUT-BOUND"),
                    Not(HasSubstr("copies")), Not(HasSubstr("between epochs"))));
}

TEST(RunSummary, has_the_time_between_epochs) {
  Watched watched;
  watched.script.steps(20, 10.0, 10.0);
  watched.script.end();
  watched.script.pass(500.0);
  watched.script.begin();
  watched.script.steps(20, 10.0, 10.0);
  EXPECT_THAT(watched.text(), HasSubstr("between epochs 500 ms"));
}

TEST(RunSummary, has_the_copies_of_batches) {
  Watched watched;
  watched.script.steps(20, 10.0, 10.0);
  watched.training.add(kConnection,
                       ScriptCopies{kLoader, {{"/home/me/train.py:50", true, false, 20, 1'000}}});
  EXPECT_THAT(watched.text(),
              HasSubstr("copies at train.py:50: 20 from pinned memory, non_blocking=False"));
}

TEST(RunSummary, advises_what_is_not_tried_in_place) {
  ScriptLoader loader = made_loader(2);
  loader.multiprocessing_context = "fork";
  Watched watched(loader, std::size_t{8} << 30);
  for (int epoch = 0; epoch < 3; ++epoch) {
    if (epoch > 0) watched.script.begin();
    watched.script.step(3'000.0, 10.0);
    watched.script.steps(30, 10.0, 10.0);
    watched.script.end();
  }
  EXPECT_THAT(
      watched.text(),
      AllOf(HasSubstr("each epoch waits 3.00 s for its first batch: persistent_workers=True"),
            HasSubstr("the process had 8.59 GB when it forked workers")));
}

TEST(RunSummary, counts_the_first_batches_of_all_settings) {
  Watched watched(made_loader(2));
  for (const std::size_t workers : {2U, 4U}) {
    watched.script.tell(made_loader(workers));
    watched.script.begin();
    watched.script.step(3'000.0, 10.0);
    watched.script.steps(30, 10.0, 10.0);
    watched.script.end();
  }
  EXPECT_THAT(watched.text(), HasSubstr("each epoch waits 3.00 s for its first batch"));
}

TEST(RunSummary, advises_no_persistent_workers_if_epochs_wait_for_a_load) {
  Watched watched(made_loader(2));
  watched.training.add(kConnection, ScriptFetches{{kLoader, 0, from_seconds(3.0), Nanos{}}});
  for (int epoch = 0; epoch < 3; ++epoch) {
    if (epoch > 0) watched.script.begin();
    watched.script.step(3'000.0, 10.0);
    watched.script.steps(30, 10.0, 10.0);
    watched.script.end();
  }
  EXPECT_THAT(watched.text(), Not(HasSubstr("persistent_workers")));
}

TEST(RunSummary, advises_nothing_if_there_is_little_to_win) {
  ScriptLoader loader = made_loader(2);
  loader.multiprocessing_context = "fork";
  Watched watched(loader, std::size_t{1} << 30);
  watched.script.steps(300, 10.0, 10.0);
  watched.script.end();
  watched.script.begin();
  watched.script.steps(300, 10.0, 10.0);
  EXPECT_THAT(watched.text(),
              AllOf(Not(HasSubstr("persistent_workers")), Not(HasSubstr("forked"))));
}

TEST(RunSummary, has_audits_and_notes) {
  Watched watched;
  watched.script.steps(30, 30.0, 10.0);
  EXPECT_THAT(watched.text(), Not(HasSubstr("audited")));
  watched.training.add(kConnection, ScriptAudit{kLoader, 12, ""});
  watched.training.add(kConnection, ScriptNote{kLoader, "the sampler draws from random"});
  EXPECT_THAT(watched.text(), AllOf(HasSubstr("\naudited: 12 batches identical\n"),
                                    HasSubstr("the sampler draws from random")));
  watched.training.add(kConnection, ScriptAudit{kLoader, 13, "batch 14: labels"});
  EXPECT_THAT(watched.text(), HasSubstr("audited: 13 batches identical, but not another one: "
                                        "batch 14: labels"));
}

TEST(RunSummary, escapes_control_characters) {
  ScriptLoader loader = made_loader();
  loader.dataset = "Da\u202eta\033[2J";
  Watched watched(loader);
  watched.script.steps(30, 30.0, 10.0);
  EXPECT_THAT(watched.text(), HasSubstr("DataLoader(Da\\u202eta\\x1b[2J, batch_size=8"));
}

TEST(RunSummary, of_a_script_without_steps_has_the_requirements) {
  EXPECT_THAT(summary_lines(WatchedTraining({})).front(),
              HasSubstr("must iterate one in a Python with torch"));
}

TEST(RunSummary, of_a_script_that_ended_early_has_its_steps) {
  Watched watched;
  watched.script.steps(2, 10.0, 10.0);
  EXPECT_THAT(watched.text(),
              AllOf(HasSubstr("too few steps of a DataLoader were seen; 2 of train.py:42"),
                    Not(HasSubstr("must iterate"))));
}

TEST(RunSummary, of_ranks_that_ended_early_has_the_first_rank) {
  Watched watched;
  MadeScript other(made_loader(), 1, [&](std::size_t connection, const ScriptMessage& message) {
    watched.training.add(connection, message);
  });
  watched.script.steps(2, 10.0, 10.0);
  other.steps(3, 10.0, 10.0);
  EXPECT_THAT(watched.text(), AllOf(HasSubstr("; 2 of train.py:42"), Not(HasSubstr("; 3 of "))));
}

}  // namespace
}  // namespace feedrate::testing
