// SPDX-License-Identifier: Apache-2.0
// Tunes in place in simulated worlds whose rates are known for every setting.
#include "training/in_place_tuner.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/made_script.h"

namespace feedrate::testing {
namespace {

constexpr std::size_t kStepsBefore = 30;

// Milliseconds of loading per step without prefetched batches.
using Loading = std::function<double(const ScriptLoader&)>;

// Each worker makes a batch in `batch` ms; without workers the loop makes it.
Loading workers_of(double batch, double training, std::size_t cpus) {
  return [=](const ScriptLoader& loader) {
    if (loader.num_workers == 0) return batch;
    const auto workers = static_cast<double>(std::min(loader.num_workers, cpus));
    return std::max(0.0, batch / workers - training);
  };
}

struct TuneOutcome {
  ScriptLoader settings;
  std::optional<Decision> decision;
  double cost_share = 0.0;
  std::size_t steps = 0;
};

class World {
 public:
  World(const ScriptLoader& own, double training, Loading loading, std::size_t cpus)
      : settings_(own), training_(training), loading_(std::move(loading)), script_(own, cpus) {}

  TuneOutcome tune(std::size_t most_steps, const InPlaceAims& aims = {}) {
    random_.seed(seed_);
    for (std::size_t i = 0; i < kStepsBefore; ++i) step();
    if (copied_ > 0) {
      script_.watch.add(
          kConnection,
          ScriptCopies{kLoader, {{"/home/me/train.py:50", false, false, 20, copied_}}});
    }
    while (!is_ready_to_tune(*script_.watch.main_loader(), aims)) step();
    InPlaceTuner tuner(*script_.watch.main_loader(), aims, {}, limits_);
    std::size_t request = 0;
    std::size_t steps = 0;
    while (!tuner.is_over() && steps < most_steps) {
      std::optional<ScriptLoader> wanted = tuner.advance(script_.watch);
      if (wanted) {
        script_.watch.expect(++request, *wanted);
        if (fails_ && fails_(*wanted)) {
          script_.watch.add(kConnection, ScriptSwitchFailed{kLoader, request, "no memory"});
          tuner.fail("no memory", script_.watch);
          starting_ = stands_still_;
        } else {
          settings_ = *wanted;
          script_.switched(request);
          visits_.push_back(settings_);
          starting_ = blocks_;
          if (on_visit_) on_visit_();
        }
      }
      step();
      ++steps;
    }
    TuneOutcome outcome{settings_, tuner.decision(), tuner.cost_share(), steps};
    if (afterwards_) afterwards_(tuner, script_.watch);
    return outcome;
  }

  double noise_ = 0.01;                  // Of a step.
  double blocks_ = 0.0;                  // Milliseconds that a switch takes.
  std::size_t epoch_ = 0;                // Steps of one; 0: the first one never ends.
  double first_batch_ = 0.0;             // Milliseconds that its first batch takes longer.
  double first_batch_of_workers_ = 0.0;  // The same, where there are workers.
  double stands_still_ = 0.0;            // Milliseconds, after a switch that failed.
  double starting_ = 0.0;                // Milliseconds that the next step waits for new workers.
  double burst_ = 0.0;                   // Milliseconds that one of 16 batches takes longer.
  std::size_t validates_ = 0;            // Steps between two validations; 0: there are none.
  InPlaceTuner::Limits limits_{};
  std::function<void()> on_visit_;
  double heavy_ = 0.0;  // Milliseconds that one of seven batches takes longer, at random.
  unsigned seed_ = 0;
  bool has_gpu_ = false;
  double saved_by_pin_ = 0.0;           // Milliseconds of the training.
  std::size_t copied_ = 0;              // Bytes of 20 steps, from pageable memory.
  std::vector<ScriptLoader> visits_{};  // The settings after each switch.
  std::function<bool(const ScriptLoader&)> fails_;
  std::function<void(InPlaceTuner&, const Watch&)> afterwards_;

 private:
  // Steps deviate by up to twice the noise, in a fixed pattern.
  void step() {
    if (epoch_ > 0 && count_ > 0 && count_ % epoch_ == 0) {
      script_.end();
      script_.begin();
      starting_ += first_batch_ + (settings_.num_workers > 0 ? first_batch_of_workers_ : 0.0);
    }
    if (validates_ > 0 && count_ % validates_ == validates_ - 1) validate();
    const double noise = 1.0 + noise_ * (static_cast<double>(count_++ * 7 % 5) - 2.0);
    const double saved = settings_.pin_memory ? saved_by_pin_ : 0.0;
    double loading = loading_(settings_);
    if (loading > 0.0) loading += saved;  // Workers are not faster.
    if (random_() % 7 == 0) loading += heavy_;
    if (count_ % 16 == 0) loading += burst_;
    script_.step(loading * noise + std::exchange(starting_, 0.0), (training_ - saved) * noise);
    if (has_gpu_) {
      script_.watch.add(kConnection, ScriptSpans{{kLoader, 0, count_ - 1, Nanos(1), Nanos(1)}});
    }
    const double batch = loading_({}) * noise / 1e3;
    script_.watch.add(kConnection,
                      ScriptFetches{{kLoader, 0, from_seconds(batch), from_seconds(batch)}});
  }

  void validate() {
    script_.tell(made_loader_at(50));
    script_.use(50);
    script_.begin();
    for (int i = 0; i < 16; ++i) script_.step(100.0, 5.0);
    script_.use(kLoader);
  }

  ScriptLoader settings_;
  double training_;
  Loading loading_;
  MadeScript script_;
  std::size_t count_ = 0;
  std::mt19937 random_;
};

TEST(InPlaceTuner, finds_how_many_workers_keep_up) {
  World world(made_loader(0), 30.0, workers_of(100.0, 30.0, 8), 8);
  const TuneOutcome outcome = world.tune(2'000);
  ASSERT_TRUE(outcome.decision);
  EXPECT_GE(outcome.settings.num_workers, 3U) << "100 ms over 3 workers: 3 ms are left to wait";
  EXPECT_LE(workers_of(100.0, 30.0, 8)(outcome.settings), 4.0);
  EXPECT_GE(outcome.decision->confidence, 0.5);
}

TEST(InPlaceTuner, tries_nothing_if_nothing_can_be_won) {
  World world(made_loader(2), 30.0, workers_of(20.0, 30.0, 4), 4);
  const TuneOutcome outcome = world.tune(2'000);
  EXPECT_EQ(outcome.settings.num_workers, 2U);
  ASSERT_TRUE(outcome.decision);
  EXPECT_EQ(outcome.decision->ending, Ending::kGpuBound);
  EXPECT_TRUE(world.visits_.empty());
  EXPECT_EQ(outcome.cost_share, 0.0);
}

// Any number of workers waits for 10 ms, so that one is as fast, and cheaper.
TEST(InPlaceTuner, keeps_settings_that_are_as_fast) {
  World world(
      made_loader(3), 30.0, [](const ScriptLoader&) { return 10.0; }, 8);
  const TuneOutcome outcome = world.tune(2'000);
  EXPECT_GT(outcome.decision.value().measured, 1U);
  EXPECT_EQ(outcome.settings.num_workers, 3U);
}

// If few batches take most of the time, a segment shows little: by chance all others are slower, or
// one is faster.
TEST(InPlaceTuner, keeps_its_settings_if_others_were_lucky) {
  std::size_t changed = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    World world(
        made_loader(2), 12.0, [](const ScriptLoader&) { return 3.0; }, 2);
    world.heavy_ = 40.0;
    world.seed_ = seed;
    if (world.tune(2'000).settings.num_workers != 2) ++changed;
  }
  EXPECT_LE(changed, 4U) << "20 % is the risk that is taken";
}

// Each improvement allows the next one: 8 workers keep up with a training of 40 ms, 12 with the
// shorter one by pin_memory.
TEST(InPlaceTuner, tries_more_workers_after_pin_memory) {
  World world(made_loader(4), 40.0, workers_of(310.0, 40.0, 16), 16);
  world.has_gpu_ = true;
  world.saved_by_pin_ = 14.0;
  world.copied_ = std::size_t{20} * 64 * 3 * 224 * 224 * 4;
  world.noise_ = 0.05;
  world.blocks_ = 300.0;
  const TuneOutcome outcome = world.tune(2'000);
  EXPECT_TRUE(outcome.settings.pin_memory);
  EXPECT_GE(outcome.settings.num_workers, 10U);
  EXPECT_LE(outcome.cost_share, 0.05);
}

// The steps before the tuning count as two starts.
TEST(InPlaceTuner, goes_back_to_slow_settings_once) {
  World world(made_loader(0), 30.0, workers_of(60.0, 30.0, 4), 4);
  const TuneOutcome outcome = world.tune(2'000);
  EXPECT_EQ(std::count_if(world.visits_.begin(), world.visits_.end(),
                          [](const ScriptLoader& one) { return one.num_workers == 0; }),
            1);
  ASSERT_TRUE(outcome.decision && outcome.decision->present);
  const RatioVerdict& gain = outcome.decision->present->recommended_to_it;
  EXPECT_EQ(gain.rounds, 3U);
  EXPECT_LE(gain.interval.low, 3.0);
  EXPECT_GE(gain.interval.high, 3.0);
}

TEST(InPlaceTuner, counts_the_costs_of_switches) {
  World world(made_loader(0), 30.0, workers_of(60.0, 30.0, 4), 4);
  World slow(made_loader(0), 30.0, workers_of(60.0, 30.0, 4), 4);
  slow.blocks_ = 100.0;
  const double without = world.tune(2'000).cost_share;
  const double with = slow.tune(2'000).cost_share;
  ASSERT_EQ(slow.visits_.size(), world.visits_.size());
  const auto switches = static_cast<double>(slow.visits_.size());
  EXPECT_NEAR(with - without, (switches - 1) * 0.1 / 30.0, 0.1 / 30.0) << "without the last one";
}

// Workers that import for seconds start slowly, but are not slow.
TEST(InPlaceTuner, gives_up_no_setting_because_of_its_switch) {
  World world(made_loader(0), 30.0, workers_of(100.0, 30.0, 8), 8);
  world.blocks_ = 2'000.0;
  const TuneOutcome outcome = world.tune(2'000);
  EXPECT_GE(outcome.settings.num_workers, 3U);
  EXPECT_EQ(world.visits_.size(), 1U) << "no other fits the bound";
}

// All settings are equal, so that only switches cost time.
TEST(InPlaceTuner, begins_no_segment_that_would_exceed_the_bound) {
  for (const double blocks : {300.0, 400.0, 550.0, 700.0}) {
    World world(
        made_loader(1), 30.0, [](const ScriptLoader&) { return 10.0; }, 8);
    world.blocks_ = blocks;
    InPlaceAims aims;
    aims.confidence = 0.9999;
    EXPECT_LE(world.tune(2'000, aims).cost_share, 0.05) << blocks;
  }
}

TEST(InPlaceTuner, excludes_the_starts_of_epochs_from_the_cost) {
  World endless(made_loader(0), 30.0, workers_of(100.0, 30.0, 8), 8);
  World short_epochs(made_loader(0), 30.0, workers_of(100.0, 30.0, 8), 8);
  short_epochs.epoch_ = 35;
  short_epochs.first_batch_ = 500.0;
  const double without = endless.tune(2'000).cost_share;
  const TuneOutcome outcome = short_epochs.tune(2'000);
  EXPECT_NEAR(outcome.cost_share, without, 0.01) << "a first batch is 0.017";
  EXPECT_GE(outcome.settings.num_workers, 3U);
}

// The variation of steps shows the noise before two segments of one setting differ.
TEST(InPlaceTuner, knows_the_noise_of_steps_before_the_first_trial) {
  World world(made_loader(0), 30.0, workers_of(60.0, 30.0, 4), 4);
  world.noise_ = 0.2;
  const TuneOutcome outcome = world.tune(2'000);
  const Interval& gain = outcome.decision.value().present.value().recommended_to_it.interval;
  EXPECT_GT(std::log(gain.high / gain.low), 0.18);
}

TEST(InPlaceTuner, bounds_the_cost_of_trying) {
  // More workers make it slower, which the model does not know.
  const Loading loading = [](const ScriptLoader& loader) {
    return 10.0 + 40.0 * static_cast<double>(loader.num_workers);
  };
  World world(made_loader(0), 10.0, loading, 8);
  InPlaceAims aims;
  aims.bound = 0.05;
  const TuneOutcome outcome = world.tune(5'000, aims);
  EXPECT_EQ(outcome.settings.num_workers, 0U);
  EXPECT_LT(outcome.cost_share, 0.05 + 0.33 / 20.0) << "one step more";
}

// Once a better setting is known, the cost of others is the difference to it.
TEST(InPlaceTuner, bounds_the_cost_by_the_best_known_rate) {
  const Loading loading = [](const ScriptLoader& loader) {
    return loader.num_workers == 1 ? 10.0 : 190.0;
  };
  World world(made_loader(0), 10.0, loading, 4);
  const TuneOutcome outcome = world.tune(5'000);
  EXPECT_EQ(outcome.settings.num_workers, 1U);
  EXPECT_LE(outcome.cost_share, 0.05) << "of a thousand steps of 20 ms";
}

TEST(InPlaceTuner, continues_without_a_setting_whose_workers_cannot_start) {
  World world(made_loader(0), 30.0, workers_of(100.0, 30.0, 8), 8);
  world.fails_ = [](const ScriptLoader& loader) { return loader.num_workers > 2; };
  const TuneOutcome outcome = world.tune(3'000);
  EXPECT_EQ(outcome.settings.num_workers, 2U);
}

// The workers of the chosen setting die later.
TEST(InPlaceTuner, chooses_nothing_that_failed_later) {
  const auto dies = [](InPlaceTuner& tuner, const Watch& watch) {
    const std::size_t died = tuner.chosen();
    tuner.fail("killed", watch);
    EXPECT_NE(tuner.chosen(), died);
  };
  World world(made_loader(0), 30.0, workers_of(100.0, 30.0, 8), 8);
  world.afterwards_ = dies;
  InPlaceAims aims;
  aims.bound = 0.01;  // Few are tried, and others are expected to be better.
  EXPECT_GT(world.tune(2'000, aims).settings.num_workers, 0U);
}

// Workers take 100 ms to start, at each epoch of 24 steps of 15 ms.
TEST(InPlaceTuner, changes_nothing_if_short_epochs_would_be_slower_as_a_whole) {
  const auto own = [](std::size_t length) {
    ScriptLoader loader = made_loader(0);
    loader.length = length;
    return loader;
  };
  for (const std::size_t length : {24, 2'400}) {
    World world(own(length), 12.0, workers_of(3.2, 12.0, 4), 4);
    world.epoch_ = length;
    world.first_batch_of_workers_ = world.blocks_ = 100.0;
    const TuneOutcome outcome = world.tune(5'000);
    EXPECT_EQ(outcome.settings.num_workers > 0, length > 1'000) << length;
    EXPECT_LE(outcome.cost_share, 0.05) << length;
  }
}

// The training loads without workers after a switch within an epoch, until they are ready.
TEST(InPlaceTuner, waits_for_an_epoch_that_shows_the_start_of_workers) {
  ScriptLoader own = made_loader(0);
  own.length = 24;
  World world(own, 12.0, workers_of(10.0, 12.0, 4), 4);
  world.epoch_ = 24;
  world.first_batch_of_workers_ = 400.0;
  EXPECT_EQ(world.tune(5'000).settings.num_workers, 0U);
  EXPECT_FALSE(world.visits_.empty());
}

TEST(InPlaceTuner, counts_and_reports_a_failed_trial) {
  World world(made_loader(0), 30.0, workers_of(100.0, 30.0, 8), 8);
  world.fails_ = [](const ScriptLoader& loader) { return loader.num_workers > 0; };
  world.stands_still_ = 5'000.0;
  world.afterwards_ = [](InPlaceTuner& tuner, const Watch&) {
    ASSERT_THAT(tuner.failures(), ::testing::SizeIs(1)) << "the bound allows no other";
    EXPECT_EQ(tuner.failures()[0].reason, "no memory");
    EXPECT_GT(tuner.settings(tuner.failures()[0].candidate).num_workers, 0U);
    EXPECT_NEAR(tuner.cost(), 5.0, 0.2);
    EXPECT_EQ(tuner.chosen(), 0U);
  };
  InPlaceAims aims;
  aims.bound = 0.035;  // 4.55 s.
  world.tune(2'000, aims);
}

// Spawned workers import the script: 1.5 s, for a bound of 5 % of 17 s.
TEST(InPlaceTuner, starts_no_workers_that_cost_more_than_the_bound) {
  ScriptLoader own = made_loader(1);
  own.multiprocessing_context = "spawn";
  World world(own, 12.0, workers_of(24.0, 12.0, 4), 4);
  world.starting_ = 2'000.0;
  world.afterwards_ = [](InPlaceTuner& tuner, const Watch&) {
    EXPECT_THAT(tuner.why_too_dear(),
                ::testing::AllOf(::testing::HasSubstr("starting workers by spawn takes about"),
                                 ::testing::HasSubstr("more than the bound of")));
    EXPECT_THAT(tuner.failures(), ::testing::IsEmpty()) << "it was not tried";
  };
  const TuneOutcome outcome = world.tune(2'000);
  EXPECT_THAT(world.visits_, ::testing::IsEmpty());
  EXPECT_EQ(outcome.cost_share, 0.0);
}

// Eight workers would make 105 ms a step 17: of a thousand such steps 5 % are 0.9 s.
TEST(InPlaceTuner, begins_no_trial_beyond_the_bound_of_its_own_rate) {
  ScriptLoader own = made_loader(0);
  own.multiprocessing_context = "spawn";
  World world(own, 5.0, workers_of(100.0, 5.0, 8), 8);
  world.blocks_ = 1'500.0;
  EXPECT_LE(world.tune(2'000).cost_share, 0.05);
}

TEST(InPlaceTuner, tries_one_worker_first_if_no_more_may_start) {
  std::size_t most = 1;
  World world(made_loader(0), 30.0, workers_of(100.0, 30.0, 8), 8);
  world.limits_.most_workers = [&] { return most; };
  world.on_visit_ = [&] { most = 8; };
  const TuneOutcome outcome = world.tune(2'000);
  EXPECT_EQ(world.visits_.front().num_workers, 1U);
  EXPECT_GE(outcome.settings.num_workers, 3U);
}

// There is a validation in every 30 steps: no segment of 16 steps includes it.
TEST(InPlaceTuner, measures_between_pauses) {
  World world(made_loader(0), 30.0, workers_of(100.0, 30.0, 8), 8);
  world.validates_ = 30;
  const TuneOutcome outcome = world.tune(3'000);
  EXPECT_GE(outcome.settings.num_workers, 3U);
  EXPECT_LE(outcome.cost_share, 0.05);
}

// After each switch there is a validation in every two steps, none of which is steady.
TEST(InPlaceTuner, counts_no_pause_among_discarded_steps_as_an_interruption) {
  constexpr std::size_t kDisturbed = 100;  // Calls of the lambda, two a step.
  World* disturbed = nullptr;
  std::size_t calls = 0;
  World world(
      made_loader(0), 30.0,
      [&](const ScriptLoader& loader) {
        if (disturbed != nullptr && ++calls > kDisturbed) disturbed->validates_ = 0;
        return workers_of(100.0, 30.0, 8)(loader);
      },
      8);
  disturbed = &world;
  world.on_visit_ = [&] {
    world.validates_ = world.visits_.back().num_workers > 0 ? 2 : 0;
    calls = 0;
  };
  world.afterwards_ = [](const InPlaceTuner& tuner, const Watch&) {
    for (const FailedTrial& trial : tuner.failures()) {
      EXPECT_THAT(trial.reason, ::testing::Not(::testing::HasSubstr("pauses")));
    }
  };
  EXPECT_GE(world.tune(3'000).settings.num_workers, 3U);
  EXPECT_FALSE(world.visits_.empty());
}

// One batch of sixteen loads the next shard.
TEST(InPlaceTuner, measures_whole_bursts) {
  World world(
      made_loader(0), 12.0,
      [](const ScriptLoader& loader) {
        return loader.num_workers > 0 ? 20.0 : 2.0;  // Slower with workers.
      },
      4);
  world.burst_ = 600.0;
  const TuneOutcome outcome = world.tune(5'000);
  EXPECT_EQ(outcome.settings.num_workers, 0U);
  ASSERT_FALSE(world.visits_.empty());
  EXPECT_GE(outcome.steps, 32U * (world.visits_.size() - 1)) << "without the last one, which stays";
}

bool is_ready(const MadeScript& script) {
  const WatchedLoader* const main = script.watch.main_loader();
  return main != nullptr && is_ready_to_tune(*main, {});
}

TEST(InPlaceTuner, waits_for_twenty_steps_or_fewer_that_mostly_load) {
  constexpr std::size_t kDiscarded = 5;
  constexpr std::size_t kUnderWay = 1;
  MadeScript even(made_loader(0));
  even.steps(kDiscarded + 19 + kUnderWay, 5.0, 30.0);
  EXPECT_FALSE(is_ready(even));
  even.step(5.0, 30.0);
  EXPECT_TRUE(is_ready(even));
  MadeScript loading(made_loader(0));
  loading.steps(kDiscarded + 6 + kUnderWay, 60.0, 30.0);
  EXPECT_FALSE(is_ready(loading));
  loading.step(60.0, 30.0);
  EXPECT_TRUE(is_ready(loading));
}

TEST(InPlaceTuner, waits_for_four_bursts) {
  MadeScript script(made_loader(0));
  const auto steps = [&](int from, int to) {
    for (int i = from; i < to; ++i) script.step(i % 16 == 15 ? 600.0 : 2.0, 12.0);
  };
  steps(0, 60);
  EXPECT_FALSE(is_ready(script));
  steps(60, 100);
  EXPECT_TRUE(is_ready(script));
}

// A trial takes longer than a twentieth of a thousand such steps.
TEST(InPlaceTuner, waits_for_five_seconds_of_tiny_steps) {
  MadeScript script(made_loader(0));
  script.steps(4'950, 0.5, 0.5);
  EXPECT_FALSE(is_ready(script));
  script.steps(100, 0.5, 0.5);
  EXPECT_TRUE(is_ready(script));
}

TEST(InPlaceCandidates, begin_with_the_loaders_own_and_differ) {
  MadeScript script(made_loader(1), 4);
  script.steps(20, 30.0, 30.0);
  const std::vector<ScriptLoader> all = in_place_candidates(*script.watch.main_loader());
  EXPECT_EQ(all.front().num_workers, 1U);
  EXPECT_TRUE(std::none_of(all.begin(), all.end(), [](const ScriptLoader& loader) {
    return loader.pin_memory;
  })) << "no GPU was seen";
  EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                          [](const ScriptLoader& loader) { return loader.num_workers == 4; }));
}

TEST(InPlaceCandidates, have_workers_if_the_script_has_some) {
  MadeScript script(made_loader(2), 4);
  script.steps(20, 30.0, 30.0);
  for (const ScriptLoader& loader : in_place_candidates(*script.watch.main_loader())) {
    EXPECT_GT(loader.num_workers, 0U) << "the dataset may have state that workers would inherit";
  }
}

TEST(InPlaceCandidates, have_no_more_batches_outstanding_than_allowed) {
  MadeScript script(made_loader(0), 4);
  script.steps(20, 30.0, 30.0);
  const WatchedLoader& main = *script.watch.main_loader();
  std::vector<std::size_t> workers;
  for (const ScriptLoader& loader : in_place_candidates(main, 4)) {
    workers.push_back(loader.num_workers);
  }
  EXPECT_THAT(workers, ::testing::ElementsAre(0, 1, 1, 2)) << "1 at both prefetch_factors";
  EXPECT_THAT(in_place_candidates(main, 0), ::testing::SizeIs(1));
}

TEST(InPlaceCandidates, have_more_workers_than_cpus_if_batches_mostly_wait) {
  MadeScript script(made_loader(1), 2);
  script.steps(20, 30.0, 30.0);
  script.watch.add(kConnection,
                   ScriptFetches{{kLoader, 0, from_seconds(0.1), from_seconds(0.001)}});
  const std::vector<ScriptLoader> all = in_place_candidates(*script.watch.main_loader());
  EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                          [](const ScriptLoader& loader) { return loader.num_workers == 8; }));
}

}  // namespace
}  // namespace feedrate::testing
