// SPDX-License-Identifier: Apache-2.0
// Tunes a loader while its training goes on, by the decision procedure of `feedrate tune`
// (analysis/tuner/tuner.h): a start of a loader is a segment of steps with the same settings. It
// returns the settings to switch to, and reads the result of a switch in a Watch. One thread.
//
// A segment begins after the discarded steps of a switch and has whole blocks of steady steps
// without a pause between them. The cost of trying is the time of all its steps beyond the time
// that they would have taken at the best known rate; pauses do not count. If a further segment
// might exceed the bound of the cost, the best setting until now stays. Steps that take a quarter
// of the bound are given up, but not a switch, which is paid once. If the length of an epoch is
// known, rates are those of whole epochs, which begin by starting workers.
#pragma once
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analysis/tuner/tuner.h"
#include "training/watch.h"

namespace feedrate {

/// The loader's own settings first, then combinations of num_workers (up to the CPUs, more if a
/// batch mostly waits; not 0 if the script has workers), prefetch_factor, and pin_memory if a GPU
/// trains. All but its own have at most `most` batches outstanding.
[[nodiscard]] std::vector<ScriptLoader> in_place_candidates(
    const WatchedLoader& present, std::size_t most = std::numeric_limits<std::size_t>::max());

struct InPlaceAims {
  double confidence = 0.95;
  double tolerance = 0.02;
  double bound = 0.05;  ///< share of the time of `bound_steps` steps at the best known rate
  std::size_t bound_steps = 1'000;
  double least_seconds = 5.0;  ///< if those steps take less: share of this time, and after it
};

/// Whether the steps since `begin` suffice to predict other settings: twenty steady steps; fewer,
/// down to five, if more than a quarter of a step is loading, so that each of them is costly; more
/// if few of them take most of the time.
[[nodiscard]] bool is_ready_to_tune(const WatchedLoader& present, const InPlaceAims& aims,
                                    const LoaderTotals& begin = {});

/// Requested settings that failed, at once or later.
struct FailedTrial {
  std::size_t candidate = 0;
  std::string reason;
};

class InPlaceTuner {
 public:
  struct Limits {
    std::size_t most_outstanding = std::numeric_limits<std::size_t>::max();  ///< batches
    std::size_t cpus = 0;  ///< that the loader may use; 0: those of its process
    /// Workers that may be started now; more are tried later. Empty: any number.
    std::function<std::size_t()> most_workers = {};
  };

  /// `now` has the settings to begin with, and since `begin` at least a block of steady steps.
  InPlaceTuner(const WatchedLoader& now, const InPlaceAims& aims, const LoaderTotals& begin = {})
      : InPlaceTuner(now, aims, begin, Limits{}) {}
  InPlaceTuner(const WatchedLoader& now, const InPlaceAims& aims, const LoaderTotals& begin,
               Limits limits);
  InPlaceTuner(const InPlaceTuner&) = delete;
  InPlaceTuner& operator=(const InPlaceTuner&) = delete;
  ~InPlaceTuner() = default;

  /// Call after each message, even when the tuning is over: the number of batches of a step may
  /// become known late.
  void update_group(const Watch& watch);
  /// Call after each message. Returns the settings to switch to; nothing: keep the present ones.
  [[nodiscard]] std::optional<ScriptLoader> advance(const Watch& watch);
  /// A switch failed, at once or later. The loader has the script's own settings; tuning continues
  /// when a step of it is over, which shows the cost of the failure.
  void fail(const std::string& problem, const Watch& watch);
  /// The latest request is not allowed, which cost nothing. Returns other settings to switch to.
  [[nodiscard]] std::optional<ScriptLoader> refuse(const std::string& problem, const Watch& watch);

  /// Ends the tuning for `problem`; returns the settings that it began with.
  [[nodiscard]] std::optional<ScriptLoader> give_up(const std::string& problem);
  /// Empty: it was not given up.
  [[nodiscard]] const std::string& why_given_up() const { return why_given_up_; }
  /// Sorted by time.
  [[nodiscard]] const std::vector<FailedTrial>& failures() const { return failures_; }
  /// Why no workers were started: "starting workers by spawn takes about 3.2 s, more than the bound
  /// of 0.75 s"; empty: some were, or there was another reason.
  [[nodiscard]] const std::string& why_too_dear() const { return why_too_dear_; }

  [[nodiscard]] bool is_over() const { return stage_ == Stage::kOver; }
  /// The latest requested candidate.
  [[nodiscard]] std::size_t wanted() const { return candidate_; }
  /// The loader with the requested settings; null until the script has them.
  [[nodiscard]] const WatchedLoader* current(const Watch& watch) const;
  /// The candidate that stays. If the recommended one was tried: that one, provided that it was
  /// faster than the script's own settings by more than the tolerance and, with 80 % probability,
  /// not by chance; else the script's own. If it was not tried: the best that was.
  [[nodiscard]] std::size_t chosen() const;
  /// The present recommendation; nothing before enough is known.
  [[nodiscard]] std::optional<Decision> decision() const { return tuner_->decision(); }
  /// The loader when tuning began.
  [[nodiscard]] const WatchedLoader& present() const { return present_; }
  [[nodiscard]] const ScriptLoader& settings(std::size_t candidate) const {
    return loaders_.at(candidate);
  }
  /// Seconds that trying has cost until now.
  [[nodiscard]] double cost() const { return cost_; }
  /// Cost as a share of the time that the bound is a share of.
  [[nodiscard]] double cost_share() const;
  [[nodiscard]] const InPlaceAims& aims() const { return aims_; }

 private:
  enum class Stage { kStarting, kSwitching, kFirstStep, kMeasuring, kFailed, kOver };
  // Time to start so many workers, measured at begins of epochs.
  struct KnownStart {
    std::size_t workers = 0;
    double seconds = 0.0;
  };
  // Sums over all settings of the loader.
  struct Totals {
    std::size_t steps = 0;
    double shares = 0.0;  // Steps of the present batch size.
    double seconds = 0.0;
    double paused = 0.0;
    StepSums first_batches;
  };

  [[nodiscard]] std::size_t unit_steps() const;
  [[nodiscard]] std::size_t segment_steps() const;
  [[nodiscard]] bool is_surely_worse(const Measurement& segment) const;
  std::optional<ScriptLoader> next(const Watch& watch);
  void add_start(const Measurement& segment, std::optional<std::size_t> round, double start);
  void add_failure(std::size_t candidate, const std::string& reason);
  void exclude(std::size_t candidate, const std::string& reason);
  std::optional<ScriptLoader> measure(const WatchedLoader& now, const Watch& watch);
  void end_segment(const Watch& watch, const WatchedLoader& now, const Measurement& segment);

  // The costs of trying, the next candidate, and the one that stays (in_place_choice.cpp).
  [[nodiscard]] std::optional<std::size_t> next_candidate();
  [[nodiscard]] std::optional<std::size_t> first_with(std::size_t workers) const;
  [[nodiscard]] bool is_faster(const Decision& decided) const;
  [[nodiscard]] double measured_start(const WatchedLoader& now, double step) const;
  [[nodiscard]] bool awaits_epoch(const WatchedLoader& now, const Watch& watch) const;
  void charge(double seconds);
  void charge_failure(const Watch& watch);
  void predict_whole_epochs(std::vector<std::optional<Prediction>>& predictions) const;
  /// Seconds per step that the begins of epochs take.
  [[nodiscard]] double start_share(double start) const;
  /// Expected seconds to start the candidate's workers.
  [[nodiscard]] double start_of(std::size_t candidate) const;
  [[nodiscard]] double expected_step(std::size_t candidate) const;
  [[nodiscard]] double bound_of(std::size_t candidate) const;
  [[nodiscard]] bool is_affordable(std::size_t candidate) const;
  /// The time of `bound_steps` steps of `step` seconds, at least `least_seconds`.
  [[nodiscard]] double bound_seconds(double step) const;
  [[nodiscard]] Totals totals(const Watch& watch) const;
  /// Seconds beyond best_step_.
  [[nodiscard]] double cost_since(const Totals& begin, const Watch& watch) const;

  InPlaceAims aims_;
  Limits limits_;
  WatchedLoader present_;  // When tuning began.
  std::vector<ScriptLoader> loaders_;
  std::vector<CellResult> cells_;              // One per candidate.
  std::vector<std::optional<double>> starts_;  // Measured seconds, one per candidate.
  std::optional<KnownStart> known_start_;
  std::optional<double> epoch_length_;
  std::size_t burst_ = 1;  // Steps from one that takes most of the time to the next one.
  std::optional<Tuner> tuner_;
  Stage stage_ = Stage::kStarting;
  std::size_t candidate_ = 0;    // Which the loader has, or is to have.
  std::size_t first_ = 0;        // Step of the setting with which the segment begins.
  double samples_ = 0.0;         // Of a batch when tuning began.
  Totals begun_;                 // At the end of the previous segment.
  Totals switched_;              // After the first step of a setting, which waits for workers.
  Totals failed_;                // At a failure.
  Nanos asked_at_{};             // When the settings that failed were requested.
  std::size_t interrupted_ = 0;  // Segments of this trial that a pause ended too early.
  std::optional<std::size_t> round_;
  std::string why_given_up_;
  std::string why_too_dear_;
  std::vector<FailedTrial> failures_;
  double best_step_ = 0.0;  // Seconds.
  double cost_ = 0.0;       // Seconds beyond best_step_, of all steps.
  double dearest_ = 0.0;    // Highest cost of a segment.
};

}  // namespace feedrate
