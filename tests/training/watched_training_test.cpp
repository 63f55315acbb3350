// SPDX-License-Identifier: Apache-2.0
// Trainings with ranks, and the requests to them.
#include "training/watched_training.h"

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

// Ranks whose loaders take 60 ms per batch, divided by their workers, and train for 20 ms. Requests
// take effect in the same step.
class Training {
 public:
  explicit Training(const ScriptLoader& loader, std::size_t ranks = 1,
                    TrainingOptions options = {}) {
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

  // Replaces the loader by one with batches of twice the samples.
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

  [[nodiscard]] WatchedTraining& tuner() { return *tuner_; }
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

  // All ranks apply the last request.
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
  std::optional<WatchedTraining> tuner_;
  std::deque<MadeScript> ranks_;
  std::size_t workers_ = 0;
  std::size_t request_ = 0;
};

// 100 groups of eight batches.
void take_groups(Training& training) {
  for (int i = 0; i < 100; ++i) {
    training.training_ = 0.01;
    training.steps(7);
    training.training_ = 160.0;
    training.steps(1);
  }
}

// The tuning begins before the groups are known.
TEST(WatchedTraining, learns_how_many_batches_a_step_has) {
  Training training(made_loader());
  take_groups(training);
  ASSERT_THAT(training.tuner().tunings(), SizeIs(1));
  EXPECT_EQ(training.tuner().tunings().front().present().batches_per_step, 8U);
}

TEST(WatchedTraining, learns_how_many_batches_a_step_has_after_the_tuning_is_over) {
  Training training(made_loader());
  training.steps(2'000);
  ASSERT_TRUE(training.tuner().is_over());
  take_groups(training);
  EXPECT_EQ(training.tuner().watch().loaders().front().batches_per_step, 8U);
  EXPECT_EQ(training.tuner().tunings().front().present().batches_per_step, 8U);
}

TEST(WatchedTraining, finds_settings_and_keeps_them) {
  Training training(made_loader());
  training.steps(2'000);
  ASSERT_THAT(training.tuner().tunings(), SizeIs(1));
  EXPECT_TRUE(training.tuner().is_over());
  EXPECT_TRUE(training.tuner().is_changed());
  EXPECT_GE(training.workers(), 3U);
  EXPECT_EQ(training.tuner().why_not_tuned(), "");
}

TEST(WatchedTraining, only_watches_by_default) {
  Training training(made_loader());
  TrainingOptions options;
  WatchedTraining watching(options);
  MadeScript script(made_loader(), 0, [&](std::size_t connection, const ScriptMessage& message) {
    watching.add(connection, message);
    watching.advance();
  });
  script.steps(150, 60.0, 20.0);
  EXPECT_THAT(watching.tunings(), IsEmpty());
  EXPECT_TRUE(watching.is_over());
}

TEST(WatchedTraining, tunes_a_loader_with_its_budget) {
  ScriptLoader loader = made_loader();
  loader.budget = 0.5;
  Training training(loader);
  training.steps(30);
  ASSERT_THAT(training.tuner().tunings(), SizeIs(1));
  EXPECT_EQ(training.tuner().tunings().front().aims().bound, 0.5);
}

TEST(WatchedTraining, ranks_switch_at_the_same_batch) {
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
    EXPECT_THAT(training.sent()[i].line, Not(HasSubstr("\"at\":0,"))) << "not at once";
  }
  EXPECT_LE(training.tuner().tunings().front().settings(1).num_workers, 1U)
      << "4 CPUs are 1 for each of 3 ranks";
}

TEST(WatchedTraining, does_not_tune_some_of_the_ranks) {
  Training training(of_ranks(3), 2);
  training.steps(200);
  EXPECT_THAT(training.sent(), IsEmpty());
  EXPECT_THAT(training.tuner().why_not_tuned(), HasSubstr("2 of 3 ranks are watched"));
  EXPECT_TRUE(training.tuner().is_over());
}

TEST(WatchedTraining, tries_no_setting_beyond_the_memory) {
  TrainingOptions options;
  options.why_no_memory = [](const WatchedLoader&, const ScriptLoader& wanted) {
    return wanted.num_workers > 1 ? std::string("no memory") : std::string();
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

TEST(WatchedTraining, restores_the_settings_of_the_script_even_without_memory) {
  TrainingOptions options;
  options.why_no_memory = [](const WatchedLoader&, const ScriptLoader&) { return "no memory"; };
  Training training(made_loader(), 1, std::move(options));
  training.steps(2'000);
  const InPlaceTuner& tuning = training.tuner().tunings().front();
  EXPECT_EQ(tuning.chosen(), 0U);
  EXPECT_TRUE(tuning.decision()) << "not all settings have failed";
}

TEST(WatchedTraining, does_not_tune_if_no_other_setting_is_allowed) {
  Training training(made_loader());
  training.tuner().add(kConnection, ScriptLimit{kLoader, 0, "labels of batches are kept"});
  training.steps(200);
  EXPECT_THAT(training.sent(), IsEmpty());
  EXPECT_EQ(training.tuner().why_not_tuned(), "labels of batches are kept");
}

TEST(WatchedTraining, gives_up_a_setting_that_a_limit_no_longer_allows) {
  Training training(made_loader());
  training.steps(2'000);
  ASSERT_GE(training.workers(), 3U);
  training.tuner().add(kConnection, ScriptLimit{kLoader, 4, "labels of batches are kept"});
  training.steps(1);
  EXPECT_EQ(training.workers(), 0U);
  EXPECT_EQ(training.tuner().tunings().back().why_given_up(), "labels of batches are kept");
}

// One worker is tried first, then more.
TEST(WatchedTraining, tries_nothing_beyond_a_limit_during_the_tuning) {
  TrainingOptions options;
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
  EXPECT_EQ(tuning.why_given_up(), "") << "no request had to be given up";
  ASSERT_FALSE(tuning.failures().empty());
  EXPECT_EQ(tuning.failures().front().reason, "labels of batches are kept");
}

// The successor begins with the script's own settings.
TEST(WatchedTraining, requests_the_found_settings_of_a_successor) {
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

TEST(WatchedTraining, continues_with_costs_per_sample_if_the_batch_size_changes) {
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

// The CPUs of the first of two ranks with these affinities, at most `cpus`.
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

TEST(WatchedTraining, divides_the_cpus_that_ranks_share) {
  const std::vector<std::size_t> all{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(cpus_of_first_rank({all, all}, 64), 4U);
  EXPECT_EQ(cpus_of_first_rank({{0, 1, 2, 3, 4, 5}, {6, 7}}, 64), 6U) << "bound by a launcher";
  EXPECT_EQ(cpus_of_first_rank({all, all}, 4), 2U) << "of a quota of 4";
}

// Two loaders, of 60 and 30 ms, give batches to each step of 20 ms.
TEST(WatchedTraining, tunes_the_slower_loader_of_a_step_and_then_the_other_one) {
  TrainingOptions options;
  options.tunes = true;
  std::map<std::size_t, std::size_t> workers;
  std::vector<Sent> sent;
  options.send = [&](std::size_t connection, const std::string& line) {
    sent.push_back({connection, line});
  };
  WatchedTraining tuner(std::move(options));
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

TEST(WatchedTraining, gives_up_settings_if_memory_runs_out) {
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

TEST(WatchedTraining, continues_if_no_workers_can_start) {
  Training training(made_loader());
  training.starts_ = false;
  training.steps(2'000);
  EXPECT_TRUE(training.tuner().is_over());
  EXPECT_EQ(training.workers(), 0U);
  EXPECT_EQ(training.tuner().tunings().front().chosen(), 0U);
}

// Only a failure of the last request counts.
TEST(WatchedTraining, ignores_an_old_failure) {
  Training training(made_loader());
  training.steps(2'000);
  const std::size_t sent = training.sent().size();
  training.tuner().add(kConnection, ScriptSwitchFailed{kLoader, 1, "too late"});
  training.tuner().advance();
  EXPECT_THAT(training.sent(), SizeIs(sent));
}

TEST(WatchedTraining, tunes_again_if_the_wait_has_grown_after_an_hour) {
  Training training(made_loader());
  training.steps(2'000);
  const std::size_t workers = training.workers();
  training.batch_ = 0.075 * static_cast<double>(workers);
  training.steps(500);
  EXPECT_THAT(training.tuner().tunings(), SizeIs(1)) << "within the hour";
  training.pass(3'600e3);
  training.steps(2'000);
  EXPECT_THAT(training.tuner().tunings(), SizeIs(2));
  EXPECT_GT(training.workers(), workers);
}

TEST(WatchedTraining, does_not_tune_again_if_the_wait_has_not_grown) {
  Training training(made_loader());
  training.steps(2'000);
  training.pass(3'600e3);
  training.steps(1'000);
  EXPECT_THAT(training.tuner().tunings(), SizeIs(1));
}

TEST(WatchedTraining, has_a_summary_of_an_unfinished_tuning) {
  Training training(made_loader());
  training.steps(40);
  ASSERT_TRUE(training.tuner().tunings().front().decision());
  EXPECT_THAT(summary_lines(training.tuner()), Contains(HasSubstr("was not over")));
  training.steps(2'000);
  EXPECT_THAT(summary_lines(training.tuner()), Not(Contains(HasSubstr("was not over"))));
}

TEST(VerdictJson, has_the_measurements_and_the_tuning) {
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

TEST(VerdictJson, of_too_few_steps_is_null) {
  EXPECT_EQ(verdict_json(WatchedTraining({})), "null");
}

}  // namespace
}  // namespace feedrate::testing
