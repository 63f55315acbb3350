// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/protocol.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/scripted_dataset.h"
#include "tests/support/test_device.h"

namespace feedrate {
namespace {

using std::chrono::milliseconds;

class Measuring : public ::testing::Test {
 protected:
  Measurement run(const ProtocolOptions& options) {
    const auto loader = make_inline_loader(dataset_, resolve({.batch_size = 4}), *device_);
    const auto trainer =
        make_device_trainer(*device_, {.batch_bytes = 64}, make_burn_work(milliseconds(30), 4));
    return measure(*loader, *trainer, clock_, options, {});
  }

  ManualClock clock_;
  std::size_t fetched_ = 0;
  testing::ScriptedDataset dataset_{10, [this](std::size_t, const BatchTask&) {
                                      clock_.sleep_for(milliseconds(35));
                                      ++fetched_;
                                    }};
  std::unique_ptr<Device> device_ = testing::make_ideal_device(clock_);
};

TEST_F(Measuring, marks_each_kept_step) {
  const Measurement result = run({.steps = 7, .warmup = 2, .short_epochs = 0});
  ASSERT_EQ(result.kept.size(), 7U);
  for (const StepMarks& step : result.kept) {
    EXPECT_EQ(step.loaded - step.asked, milliseconds(35));
    const auto samples = static_cast<Nanos::rep>(step.samples);  // 4, or 2 at the dataset's end.
    EXPECT_EQ(step.trained - step.copied, Nanos(samples * 7'500'000));
  }
  ASSERT_GE(result.spans.size(), 7U);
  EXPECT_EQ(result.spans[result.spans.size() - 7].compute_begin, result.kept[0].copied);
}

// Three steps take 180 ms, since one in three has half a batch.
TEST_F(Measuring, ends_the_window_at_its_limit) {
  ProtocolOptions options{.steps = 50, .warmup = 0, .short_epochs = 0};
  options.window_limit = milliseconds(7 * 180);
  EXPECT_EQ(run(options).kept.size(), 7U * 3U);
  options.window_limit = milliseconds(180);
  EXPECT_EQ(run(options).kept.size(), ProtocolOptions::kLeastSteps);
}

TEST_F(Measuring, runs_total_steps) {
  const ProtocolOptions options{.steps = 7, .warmup = 2, .short_epochs = 2};
  static_cast<void>(run(options));
  EXPECT_EQ(fetched_, options.total_steps());
}

TEST_F(Measuring, times_the_first_batch_of_each_epoch_separately) {
  const Measurement result = run({.steps = 3, .warmup = 0, .short_epochs = 2});
  ASSERT_EQ(result.epochs.size(), 3U);
  for (const EpochMarks& epoch : result.epochs) EXPECT_EQ(epoch.first_batch, milliseconds(35));
  EXPECT_TRUE(result.epochs[0].end);
  EXPECT_FALSE(result.epochs[2].end);
}

// A loader whose start_epoch() takes time, which is not part of any step.
class SlowToStart final : public Loader {
 public:
  SlowToStart(std::unique_ptr<Loader> loader, Clock& clock)
      : loader_(std::move(loader)), clock_(clock) {}
  void start_epoch(std::uint64_t epoch, std::optional<std::size_t> batches,
                   const std::stop_token& stop) override {
    clock_.sleep_for(milliseconds(500));
    loader_->start_epoch(epoch, batches, stop);
  }
  std::optional<Batch> next(const std::stop_token& stop) override { return loader_->next(stop); }
  std::size_t batches_per_epoch() const noexcept override { return loader_->batches_per_epoch(); }
  std::string_view profile_name() const noexcept override { return loader_->profile_name(); }

 private:
  std::unique_ptr<Loader> loader_;
  Clock& clock_;
};

// Records the requested length of each epoch.
class Asked final : public Loader {
 public:
  explicit Asked(std::unique_ptr<Loader> loader) : loader_(std::move(loader)) {}
  void start_epoch(std::uint64_t epoch, std::optional<std::size_t> batches,
                   const std::stop_token& stop) override {
    epochs.push_back(batches.value());
    loader_->start_epoch(epoch, batches, stop);
  }
  std::optional<Batch> next(const std::stop_token& stop) override { return loader_->next(stop); }
  std::size_t batches_per_epoch() const noexcept override { return loader_->batches_per_epoch(); }
  std::string_view profile_name() const noexcept override { return loader_->profile_name(); }

  std::vector<std::size_t> epochs;

 private:
  std::unique_ptr<Loader> loader_;
};

// Otherwise the window's last batches would be those that were in flight when it began.
TEST_F(Measuring, keeps_the_workers_busy_to_the_end_of_the_window) {
  Asked loader(make_inline_loader(dataset_, resolve({.batch_size = 4}), *device_));
  const auto trainer = make_discard_trainer(clock_);
  const ProtocolOptions options{.steps = 8, .warmup = 0, .short_epochs = 1, .max_outstanding = 6};
  static_cast<void>(measure(loader, *trainer, clock_, options, {}));
  ASSERT_EQ(loader.epochs.size(), 2U);
  EXPECT_EQ(loader.epochs[0], options.short_epoch_batches());
  EXPECT_EQ(loader.epochs[1], 1 + options.discarded_steps() + options.kept_steps() + 6);
}

TEST_F(Measuring, p15_the_start_of_an_epoch_counts_for_its_first_batch_only) {
  SlowToStart loader(make_inline_loader(dataset_, resolve({.batch_size = 4}), *device_), clock_);
  const auto trainer = make_discard_trainer(clock_);
  const Measurement result =
      measure(loader, *trainer, clock_, {.steps = 3, .warmup = 0, .short_epochs = 1}, {});
  for (const EpochMarks& epoch : result.epochs) EXPECT_EQ(epoch.first_batch, milliseconds(535));
  for (const StepMarks& step : result.kept) EXPECT_EQ(step.loaded - step.asked, milliseconds(35));
}

TEST_F(Measuring, tells_when_the_warm_up_begins_and_when_the_window_is_over) {
  const auto loader = make_inline_loader(dataset_, resolve({.batch_size = 4}), *device_);
  const auto trainer =
      make_device_trainer(*device_, {.batch_bytes = 64}, make_burn_work(milliseconds(30), 4));
  const ProtocolOptions options{.steps = 3, .warmup = 0, .short_epochs = 2};
  std::size_t before_warm_up = 0;
  std::size_t before_end = 0;
  const Measurement result = measure(*loader, *trainer, clock_, options, {},
                                     {.on_warm_up = [&] { before_warm_up = fetched_; },
                                      .on_window_over = [&] { before_end = fetched_; }});
  EXPECT_EQ(before_warm_up, 2 * options.short_epoch_batches() + 1);
  EXPECT_EQ(before_end, options.total_steps());
  EXPECT_EQ(result.kept.size(), 3U);
}

TEST_F(Measuring, continues_over_the_end_of_the_datasets_epoch) {
  const Measurement result = run({.steps = 20, .warmup = 0, .short_epochs = 0});
  std::size_t samples = 0;
  for (const StepMarks& step : result.kept) samples += step.samples;
  // The kept steps are 7 to 26 (one starts the epoch, five are discarded) of batches 4, 4, 2, 4, 4,
  // 2, …: incomplete batches have their natural share.
  EXPECT_EQ(samples, 6U * 10 + 4 + 4);
}

TEST_F(Measuring, throws_cancelled_when_a_stop_is_requested) {
  std::stop_source stop;
  stop.request_stop();
  const auto loader = make_inline_loader(dataset_, resolve({.batch_size = 4}), *device_);
  const auto trainer = make_discard_trainer(clock_);
  EXPECT_THROW(static_cast<void>(measure(*loader, *trainer, clock_, {}, stop.get_token())),
               Cancelled);
}

}  // namespace
}  // namespace feedrate
