// SPDX-License-Identifier: Apache-2.0
// Tuning in place in made worlds, whose rates are known for every setting.
#include "training/tuning.h"

#include <algorithm>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/made_script.h"

namespace feedrate::testing {
namespace {

constexpr std::size_t kStepsBefore = 30;

// Milliseconds of loading that a step sees, once prefetched batches are used up.
using Loading = std::function<double(const ScriptLoader&)>;

// W workers make a batch in `batch` ms each; without workers the loop makes it.
Loading workers_of(double batch, double training, std::size_t cpus) {
  return [=](const ScriptLoader& loader) {
    if (loader.num_workers == 0) return batch;
    const auto workers = static_cast<double>(std::min(loader.num_workers, cpus));
    return std::max(0.0, batch / workers - training);
  };
}

struct Outcome {
  ScriptLoader settings;
  std::optional<Decision> decision;
  double cost_share = 0.0;
  std::size_t steps = 0;
};

class World {
 public:
  World(const ScriptLoader& own, double training, Loading loading, std::size_t cpus)
      : settings_(own), training_(training), loading_(std::move(loading)), script_(own, cpus) {}

  Outcome tune(std::size_t most_steps, const InPlaceAims& aims = {}) {
    for (std::size_t i = 0; i < kStepsBefore; ++i) step();
    InPlaceTuner tuner(*script_.watch.main_loader(), aims);
    std::size_t request = 0;
    std::size_t steps = 0;
    while (!tuner.is_over() && steps < most_steps) {
      std::optional<ScriptLoader> wanted = tuner.advance(script_.watch);
      while (wanted) {
        script_.watch.expect(++request, *wanted);
        if (fails_ && fails_(*wanted)) {
          script_.watch.add(kConnection, ScriptSwitchFailed{kLoader, request, "no memory"});
          wanted = tuner.fail("no memory");
          continue;
        }
        settings_ = *wanted;
        script_.switched(request);
        break;
      }
      step();
      ++steps;
    }
    const Outcome outcome{settings_, tuner.decision(), tuner.cost_share(), steps};
    if (afterwards_) afterwards_(tuner);
    return outcome;
  }

  std::function<bool(const ScriptLoader&)> fails_;
  std::function<void(InPlaceTuner&)> afterwards_;

 private:
  // Up to 2 % off, in a fixed pattern.
  void step() {
    const double noise = 0.98 + 0.01 * static_cast<double>(count_++ * 7 % 5);
    const double loading = loading_(settings_) * noise;
    script_.step(loading, training_ * noise);
    const double batch = loading_({}) * noise / 1e3;
    script_.watch.add(kConnection,
                      ScriptFetches{{kLoader, 0, from_seconds(batch), from_seconds(batch)}});
  }

  ScriptLoader settings_;
  double training_;
  Loading loading_;
  MadeScript script_;
  std::size_t count_ = 0;
};

TEST(InPlaceTuner, finds_how_many_workers_keep_up) {
  World world(made_loader(0), 30.0, workers_of(100.0, 30.0, 8), 8);
  const Outcome outcome = world.tune(2'000);
  ASSERT_TRUE(outcome.decision);
  EXPECT_GE(outcome.settings.num_workers, 3U) << "100 ms over 3 workers: 3 ms are left to wait";
  EXPECT_LE(workers_of(100.0, 30.0, 8)(outcome.settings), 4.0);
  EXPECT_GE(outcome.decision->confidence, 0.5);
}

TEST(InPlaceTuner, leaves_what_keeps_up_as_it_is) {
  World world(made_loader(2), 30.0, workers_of(20.0, 30.0, 4), 4);
  const Outcome outcome = world.tune(2'000);
  EXPECT_EQ(outcome.settings.num_workers, 2U);
  ASSERT_TRUE(outcome.decision);
  EXPECT_EQ(outcome.decision->ending, Ending::kGpuBound);
  EXPECT_LT(outcome.cost_share, 0.01);
}

TEST(InPlaceTuner, bounds_what_trying_costs) {
  // More workers make it slower, which the model does not know.
  const Loading loading = [](const ScriptLoader& loader) {
    return 10.0 + 40.0 * static_cast<double>(loader.num_workers);
  };
  World world(made_loader(0), 10.0, loading, 8);
  InPlaceAims aims;
  aims.bound = 0.05;
  const Outcome outcome = world.tune(5'000, aims);
  EXPECT_EQ(outcome.settings.num_workers, 0U);
  // What has begun may take a quarter of the bound, and a step more.
  EXPECT_LT(outcome.cost_share, 0.05 + 0.0125 + 0.33 / 20.0);
}

TEST(InPlaceTuner, goes_on_without_a_setting_whose_workers_cannot_start) {
  World world(made_loader(0), 30.0, workers_of(100.0, 30.0, 8), 8);
  world.fails_ = [](const ScriptLoader& loader) { return loader.num_workers > 2; };
  const Outcome outcome = world.tune(3'000);
  EXPECT_EQ(outcome.settings.num_workers, 2U);
}

// Its workers die after it was chosen.
TEST(InPlaceTuner, chooses_nothing_that_failed_later) {
  const auto dies = [](InPlaceTuner& tuner) {
    const std::size_t died = tuner.chosen();
    static_cast<void>(tuner.fail("killed"));
    EXPECT_NE(tuner.chosen(), died);
  };
  World world(made_loader(0), 30.0, workers_of(100.0, 30.0, 8), 8);
  world.afterwards_ = dies;
  InPlaceAims aims;
  aims.bound = 1e-4;  // Hardly any was tried, and others are believed to be better.
  EXPECT_GT(world.tune(2'000, aims).settings.num_workers, 0U);
}

TEST(InPlaceCandidates, begin_with_the_loaders_own_and_are_different) {
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

TEST(InPlaceCandidates, have_more_workers_than_cpus_where_batches_mostly_wait) {
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
