// SPDX-License-Identifier: Apache-2.0
// A training with ranks, and what it is told.
#include "training/training_tuner.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/made_script.h"
#include "training/summary.h"
#include "training/verdict_json.h"

namespace feedrate::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

struct Sent {
  std::size_t connection = 0;
  std::string line;
};

ScriptLoader of_ranks(std::size_t ranks) {
  ScriptLoader loader = made_loader();
  loader.ranks = ranks;
  return loader;
}

// Ranks whose loaders take 60 ms a batch, over the workers that they have, and train for 20 ms.
// What they are sent takes effect in the same step.
class Training {
 public:
  explicit Training(const ScriptLoader& loader, std::size_t ranks = 1,
                    TrainingTunerOptions options = {}) {
    options.tunes = !loader.budget;
    options.send = [this](std::size_t connection, const std::string& line) {
      sent_.push_back({connection, line});
    };
    tuner_.emplace(std::move(options));
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      ScriptLoader its = loader;
      its.rank = rank;
      ranks_.emplace_back(its, rank, [this](std::size_t connection, const ScriptMessage& message) {
        tuner_->add(connection, message);
      });
    }
  }

  void steps(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      for (MadeScript& rank : ranks_) {
        rank.step(loading(), training_, samples_);
      }
      tuner_->add(kConnection,
                  ScriptFetches{{kLoader, 0, from_seconds(batch_), from_seconds(batch_)}});
      const std::size_t before = sent_.size();
      tuner_->advance();
      if (sent_.size() > before) take();
    }
  }

  // Another loader in its place, with batches of twice the samples.
  void double_batches() {
    ScriptLoader next = made_loader();
    next.number = 99;
    next.batch_size = 16;
    batch_ *= 2.0;
    training_ *= 2.0;
    samples_ *= 2;
    workers_ = 0;
    for (MadeScript& rank : ranks_) {
      rank.end();
      rank.tell(next);
      rank.use(next.number);
      rank.begin();
    }
  }

  void pass(double milliseconds) {
    for (MadeScript& rank : ranks_) rank.pass(milliseconds);
  }

  [[nodiscard]] TrainingTuner& tuner() { return *tuner_; }
  [[nodiscard]] const std::vector<Sent>& sent() const { return sent_; }
  [[nodiscard]] std::size_t workers() const { return workers_; }

  double batch_ = 0.060;
  double training_ = 20.0;  // Milliseconds.
  std::size_t samples_ = 8;
  bool starts_ = true;  // Whether workers can be started.

 private:
  [[nodiscard]] double loading() const {
    const double each = 1e3 * batch_ / static_cast<double>(std::max<std::size_t>(1, workers_));
    return workers_ == 0 ? each : std::max(0.0, each - training_);
  }

  // All ranks take the last request.
  void take() {
    const InPlaceTuner& tuning = tuner_->tunings().back();
    ++request_;
    if (!starts_) {
      tuner_->add(kConnection, ScriptSwitchFailed{kLoader, request_, "no workers"});
      return;
    }
    workers_ = tuning.settings(tuning.wanted()).num_workers;
    for (MadeScript& rank : ranks_) rank.switched(request_);
  }

  std::vector<Sent> sent_;
  std::optional<TrainingTuner> tuner_;
  std::deque<MadeScript> ranks_;
  std::size_t workers_ = 0;
  std::size_t request_ = 0;
};

// Trying begins before the groups are known.
TEST(TrainingTuner, learns_how_many_batches_a_step_has) {
  Training training(made_loader());
  for (int i = 0; i < 100; ++i) {
    training.training_ = 0.01;
    training.steps(7);
    training.training_ = 160.0;
    training.steps(1);
  }
  ASSERT_THAT(training.tuner().tunings(), SizeIs(1));
  EXPECT_EQ(training.tuner().tunings().front().present().batches_per_step, 8U);
}

TEST(TrainingTuner, learns_how_many_batches_a_step_has_after_the_tuning_is_over) {
  Training training(made_loader());
  training.steps(2'000);
  ASSERT_TRUE(training.tuner().is_over());
  for (int i = 0; i < 100; ++i) {
    training.training_ = 0.01;
    training.steps(7);
    training.training_ = 160.0;
    training.steps(1);
  }
  EXPECT_EQ(training.tuner().watch().loaders().front().batches_per_step, 8U);
  EXPECT_EQ(training.tuner().tunings().front().present().batches_per_step, 8U);
}

TEST(TrainingTuner, finds_settings_and_stays_with_them) {
  Training training(made_loader());
  training.steps(2'000);
  ASSERT_THAT(training.tuner().tunings(), SizeIs(1));
  EXPECT_TRUE(training.tuner().is_over());
  EXPECT_TRUE(training.tuner().is_changed());
  EXPECT_GE(training.workers(), 3U);
  EXPECT_EQ(training.tuner().why_not_tuned(), "");
}

TEST(TrainingTuner, only_watches_where_nobody_asked_for_more) {
  Training training(made_loader());
  TrainingTunerOptions options;
  TrainingTuner watching(options);
  MadeScript script(made_loader(), 0, [&](std::size_t connection, const ScriptMessage& message) {
    watching.add(connection, message);
    watching.advance();
  });
  script.steps(150, 60.0, 20.0);
  EXPECT_THAT(watching.tunings(), IsEmpty());
  EXPECT_TRUE(watching.is_over());
}

TEST(TrainingTuner, tunes_the_loader_that_asks_for_it_at_its_budget) {
  ScriptLoader loader = made_loader();
  loader.budget = 0.5;
  Training training(loader);
  training.steps(30);
  ASSERT_THAT(training.tuner().tunings(), SizeIs(1));
  EXPECT_EQ(training.tuner().tunings().front().aims().bound, 0.5);
}

TEST(TrainingTuner, ranks_switch_at_the_same_batch) {
  Training training(of_ranks(3), 3);
  training.steps(2'000);
  ASSERT_GE(training.sent().size(), 6U);
  ASSERT_EQ(training.sent().size() % 3, 0U) << "each request reaches all ranks";
  for (std::size_t i = 0; i < training.sent().size(); i += 3) {
    std::set<std::size_t> connections;
    for (std::size_t k = i; k < i + 3; ++k) {
      connections.insert(training.sent()[k].connection);
      EXPECT_EQ(training.sent()[k].line, training.sent()[i].line);
    }
    EXPECT_THAT(connections, SizeIs(3));
    EXPECT_THAT(training.sent()[i].line, Not(HasSubstr("\"at\":0,"))) << "not as soon as it comes";
  }
  EXPECT_LE(training.tuner().tunings().front().settings(1).num_workers, 1U)
      << "4 CPUs are 1 for each of 3 ranks";
}

TEST(TrainingTuner, does_not_tune_some_of_the_ranks) {
  Training training(of_ranks(3), 2);
  training.steps(200);
  EXPECT_THAT(training.sent(), IsEmpty());
  EXPECT_THAT(training.tuner().why_not_tuned(), HasSubstr("2 of 3 ranks are watched"));
  EXPECT_TRUE(training.tuner().is_over());
}

TEST(TrainingTuner, tries_no_setting_that_memory_has_no_room_for) {
  TrainingTunerOptions options;
  options.why_no_room = [](const WatchedLoader&, const ScriptLoader& wanted) {
    return wanted.num_workers > 1 ? std::string("no room") : std::string();
  };
  Training training(made_loader(), 1, std::move(options));
  training.steps(2'000);
  EXPECT_TRUE(training.tuner().is_over());
  EXPECT_LE(training.workers(), 1U);
  for (const Sent& sent : training.sent()) {
    EXPECT_THAT(sent.line,
                ::testing::AnyOf(HasSubstr("\"num_workers\":0"), HasSubstr("\"num_workers\":1")));
  }
}

TEST(TrainingTuner, goes_back_to_the_settings_of_the_script_also_where_memory_is_short) {
  TrainingTunerOptions options;
  options.why_no_room = [](const WatchedLoader&, const ScriptLoader&) { return "no room"; };
  Training training(made_loader(), 1, std::move(options));
  training.steps(2'000);
  const InPlaceTuner& tuning = training.tuner().tunings().front();
  EXPECT_EQ(tuning.chosen(), 0U);
  EXPECT_TRUE(tuning.decision()) << "not all settings have failed";
}

TEST(TrainingTuner, does_not_tune_where_no_other_setting_is_allowed) {
  Training training(made_loader());
  training.tuner().add(kConnection, ScriptLimit{kLoader, 0, "labels of batches are kept"});
  training.steps(200);
  EXPECT_THAT(training.sent(), IsEmpty());
  EXPECT_EQ(training.tuner().why_not_tuned(), "labels of batches are kept");
}

TEST(TrainingTuner, gives_up_a_setting_that_a_limit_no_longer_allows) {
  Training training(made_loader());
  training.steps(2'000);
  ASSERT_GE(training.workers(), 3U);
  training.tuner().add(kConnection, ScriptLimit{kLoader, 4, "labels of batches are kept"});
  training.steps(1);
  EXPECT_EQ(training.workers(), 0U);
  EXPECT_EQ(training.tuner().tunings().back().why_given_up(), "labels of batches are kept");
}

// One worker is tried first, then more would be.
TEST(TrainingTuner, tries_nothing_beyond_a_limit_that_came_while_it_tunes) {
  TrainingTunerOptions options;
  std::size_t asked = 0;
  options.most_workers_now = [&](const WatchedLoader&) {
    return ++asked == 1 ? std::size_t{1} : std::size_t{64};
  };
  Training training(made_loader(), 1, std::move(options));
  training.steps(28);
  ASSERT_EQ(training.workers(), 1U);
  training.tuner().add(kConnection, ScriptLimit{kLoader, 2, "labels of batches are kept"});
  training.steps(2'000);
  const InPlaceTuner& tuning = training.tuner().tunings().back();
  EXPECT_TRUE(tuning.is_over());
  EXPECT_EQ(tuning.why_given_up(), "") << "nothing was asked for that had to be given up";
  ASSERT_FALSE(tuning.failures().empty());
  EXPECT_EQ(tuning.failures().front().reason, "labels of batches are kept");
}

// It begins with the script's own settings.
TEST(TrainingTuner, asks_a_successor_for_the_settings_that_were_found) {
  Training training(made_loader());
  training.steps(2'000);
  const std::size_t sent = training.sent().size();
  ScriptLoader next = made_loader();
  next.number = 99;
  training.tuner().add(kConnection, next);
  training.tuner().advance();
  ASSERT_THAT(training.sent(), SizeIs(sent + 1));
  EXPECT_THAT(training.sent().back().line, HasSubstr("\"loader\":99"));
  EXPECT_THAT(training.sent().back().line,
              HasSubstr(fmt::format("\"num_workers\":{}", training.workers())));
}

TEST(TrainingTuner, goes_on_by_the_costs_of_a_sample_where_the_batch_size_changes) {
  Training training(made_loader());
  training.steps(32);
  ASSERT_THAT(training.tuner().tunings(), SizeIs(1));
  ASSERT_FALSE(training.tuner().is_over());
  training.double_batches();
  training.steps(3'000);
  EXPECT_TRUE(training.tuner().is_over());
  EXPECT_GE(training.workers(), 3U);
  EXPECT_LE(training.tuner().tunings().front().cost_share(), 0.05);
}

// Of the first of two ranks that may run on these, with as many as `cpus`.
std::size_t cpus_of_first_rank(const std::vector<std::vector<std::size_t>>& affinities,
                               std::size_t cpus) {
  Training training(of_ranks(2), 2);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    ScriptProcess process;
    process.id = static_cast<pid_t>(100 + rank);
    process.rank = rank;
    process.affinity = affinities[rank];
    process.cpus = std::min(cpus, process.affinity.size());
    training.tuner().add(kConnection + rank, process);
  }
  training.steps(100);
  return training.tuner().tunings().at(0).present().process.cpus;
}

TEST(TrainingTuner, divides_the_cpus_of_ranks_but_none_that_one_has_for_itself) {
  const std::vector<std::size_t> all{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(cpus_of_first_rank({all, all}, 64), 4U);
  EXPECT_EQ(cpus_of_first_rank({{0, 1, 2, 3, 4, 5}, {6, 7}}, 64), 6U) << "bound by a launcher";
  EXPECT_EQ(cpus_of_first_rank({all, all}, 4), 2U) << "of a quota of 4";
}

// Two loaders of 60 and 30 ms give to each step of 20 ms.
TEST(TrainingTuner, tunes_the_slower_loader_of_a_step_and_then_the_other_one) {
  TrainingTunerOptions options;
  options.tunes = true;
  std::map<std::size_t, std::size_t> workers;
  std::vector<Sent> sent;
  options.send = [&](std::size_t connection, const std::string& line) {
    sent.push_back({connection, line});
  };
  TrainingTuner tuner(std::move(options));
  MadeScript script(made_loader(), 0, [&](std::size_t connection, const ScriptMessage& message) {
    tuner.add(connection, message);
  });
  script.tell(made_loader_at(50));
  script.use(50);
  script.begin();
  const auto loading = [&](std::size_t loader, double batch) {
    return workers[loader] == 0 ? batch
                                : std::max(0.0, batch / static_cast<double>(workers[loader]) - 20);
  };
  std::size_t request = 0;
  for (int i = 0; i < 3'000; ++i) {
    script.use(50);
    script.step(loading(50, 30.0), 0.0);
    script.use(kLoader);
    script.step(loading(kLoader, 60.0), 20.0);
    const std::size_t before = sent.size();
    tuner.advance();
    if (sent.size() == before) continue;
    const InPlaceTuner& tuning = tuner.tunings().back();
    const std::size_t loader = tuning.present().loader.number;
    workers[loader] = tuning.settings(tuning.wanted()).num_workers;
    script.use(loader);
    script.switched(++request);
  }
  ASSERT_THAT(tuner.tunings(), SizeIs(2));
  EXPECT_EQ(tuner.tunings()[0].present().loader.number, kLoader);
  EXPECT_EQ(tuner.tunings()[1].present().loader.number, 50U);
  EXPECT_GE(workers[kLoader], 2U);
  EXPECT_GE(workers[50], 1U);
  EXPECT_TRUE(tuner.is_over());
}

TEST(TrainingTuner, gives_settings_up_where_memory_runs_out) {
  Training training(made_loader());
  training.steps(2'000);
  training.tuner().give_up("memory: 10 MiB of 16 GiB are left");
  training.steps(2'000);
  EXPECT_EQ(training.tuner().tunings().back().chosen(), 0U);
  EXPECT_FALSE(training.tuner().is_changed());
  EXPECT_THAT(training.sent().back().line, HasSubstr("\"num_workers\":0"));
  EXPECT_THAT(summary_lines(training.tuner()),
              Contains(HasSubstr("given up, the settings are as before: memory: 10 MiB")));
}

TEST(TrainingTuner, goes_on_where_no_workers_can_start) {
  Training training(made_loader());
  training.starts_ = false;
  training.steps(2'000);
  EXPECT_TRUE(training.tuner().is_over());
  EXPECT_EQ(training.workers(), 0U);
  EXPECT_EQ(training.tuner().tunings().front().chosen(), 0U);
}

// Only once, of a failure of the last request.
TEST(TrainingTuner, takes_no_old_failure_for_a_new_one) {
  Training training(made_loader());
  training.steps(2'000);
  const std::size_t sent = training.sent().size();
  training.tuner().add(kConnection, ScriptSwitchFailed{kLoader, 1, "too late"});
  training.tuner().advance();
  EXPECT_THAT(training.sent(), SizeIs(sent));
}

TEST(TrainingTuner, looks_again_where_the_wait_has_grown_and_an_hour_has_passed) {
  Training training(made_loader());
  training.steps(2'000);
  const std::size_t workers = training.workers();
  training.batch_ = 0.075 * static_cast<double>(workers);
  training.steps(500);
  EXPECT_THAT(training.tuner().tunings(), SizeIs(1)) << "not so soon";
  training.pass(3'600e3);
  training.steps(2'000);
  EXPECT_THAT(training.tuner().tunings(), SizeIs(2));
  EXPECT_GT(training.workers(), workers);
}

TEST(TrainingTuner, does_not_look_again_where_it_waits_no_longer_than_before) {
  Training training(made_loader());
  training.steps(2'000);
  training.pass(3'600e3);
  training.steps(1'000);
  EXPECT_THAT(training.tuner().tunings(), SizeIs(1));
}

TEST(TrainingTuner, says_in_the_summary_that_more_steps_may_change_what_it_found) {
  Training training(made_loader());
  training.steps(40);
  ASSERT_TRUE(training.tuner().tunings().front().decision());
  EXPECT_THAT(summary_lines(training.tuner()), Contains(HasSubstr("was not over")));
  training.steps(2'000);
  EXPECT_THAT(summary_lines(training.tuner()), Not(Contains(HasSubstr("was not over"))));
}

TEST(VerdictJson, has_what_was_seen_and_tuned) {
  Training training(made_loader());
  training.steps(2'000);
  const std::string json = verdict_json(training.tuner());
  EXPECT_THAT(json, HasSubstr(R"("schema":1,"site":"/home/me/train.py:42")"));
  EXPECT_THAT(json,
              HasSubstr(R"("settings":{"batch_size":8,"num_workers":0,"prefetch_factor":null)"));
  EXPECT_THAT(json, HasSubstr(R"("bound":"INPUT-BOUND")"));
  EXPECT_THAT(json,
              HasSubstr(fmt::format(R"("recommended":{{"num_workers":{},)", training.workers())));
  EXPECT_THAT(json, HasSubstr(R"("is_over":true)"));
  const std::string message = verdict_message(training.tuner());
  EXPECT_THAT(message, HasSubstr(R"({"event":"verdict","loader":3,"verdict":{"schema":1)"));
  EXPECT_EQ(message.back(), '\n');
}

TEST(VerdictJson, recommends_the_start_method_of_the_workers_that_were_tried) {
  ScriptLoader loader = made_loader();
  loader.context = "fork";
  Training training(loader);
  training.steps(2'000);
  EXPECT_THAT(verdict_json(training.tuner()),
              HasSubstr(R"("in_order":true,"multiprocessing_context":"fork"},"gain")"));
}

TEST(VerdictJson, of_too_few_steps_is_null) { EXPECT_EQ(verdict_json(TrainingTuner({})), "null"); }

}  // namespace
}  // namespace feedrate::testing
