// SPDX-License-Identifier: Apache-2.0
// The decision procedure of `feedrate tune` (analysis/tuner/tuner.h), with a training that goes on
// as the world outside: a start of a loader is a segment of its steps, in which it has the settings
// asked for. It says what to switch to, and reads in a Watch what came of it. One thread.
//
// A segment is the steps that a switch makes meaningless, which are discarded, and then whole
// blocks of steady steps without a pause between them. What trying costs is the time of all its
// steps beyond what they would have taken at the best rate known; pauses are no part of it. Where a
// further segment may go beyond the bound on that, the best setting so far stays. Steps that take a
// quarter of the bound are given up; not a switch, which is paid once. Where the length of an epoch
// is known, rates are those of whole epochs: each begins by starting workers.
#pragma once
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analysis/tuner/tuner.h"
#include "training/in_place_candidates.h"
#include "training/watch.h"

namespace feedrate {

struct InPlaceAims {
  double confidence = 0.95;
  double tolerance = 0.02;
  double bound = 0.05;  ///< of the time of `bound_steps` steps at the best rate known
  std::size_t bound_steps = 1'000;
  double least_seconds = 5.0;  ///< where those steps take less: of this time, and after it
};

/// Enough was seen of the loader to predict other settings: twenty steady steps; fewer, down to
/// five, where more than a quarter of a step is loading, so that each of them is dear; more where
/// few of them take most of the time.
[[nodiscard]] bool is_ready_to_tune(const WatchedLoader& present, const InPlaceAims& aims,
                                    const LoaderTotals& begin = {});

/// Settings that were asked for and could not be, or could not stay.
struct FailedTrial {
  std::size_t candidate = 0;
  std::string reason;
};

class InPlaceTuner {
 public:
  struct Limits {
    std::size_t most_outstanding = std::numeric_limits<std::size_t>::max();  ///< batches
    /// That the loader may use; 0: those of its process.
    std::size_t cpus = 0;
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

  /// To be called after each message, also when the tuning is over: how many batches a step has may
  /// be known late.
  void update_group(const Watch& watch);
  /// To be called after each message. What to switch to now; nothing: stay.
  [[nodiscard]] std::optional<ScriptLoader> advance(const Watch& watch);
  /// A switch did not take place, or did not last, and why. The loader has the script's own
  /// settings; once a step of it is over, which tells what the failure cost, tuning goes on.
  void fail(const std::string& problem, const Watch& watch);
  /// What was asked for last may not be, which cost nothing. What to switch to instead.
  [[nodiscard]] std::optional<ScriptLoader> refuse(const std::string& problem, const Watch& watch);

  /// Tries nothing more: back to the settings it began with, for `problem`.
  [[nodiscard]] std::optional<ScriptLoader> give_up(const std::string& problem);
  /// Why it was given up; empty: it was not.
  [[nodiscard]] const std::string& why_given_up() const { return why_given_up_; }
  /// In the order in which they failed.
  [[nodiscard]] const std::vector<FailedTrial>& failures() const { return failures_; }
  /// Why workers were not started at all: "starting workers by spawn takes about 3.2 s, more than
  /// the bound of 0.75 s"; empty: they were, or there was another reason.
  [[nodiscard]] const std::string& why_too_dear() const { return why_too_dear_; }
  /// Whether steps at other settings than the script's own were measured.
  [[nodiscard]] bool has_measured_others() const;

  [[nodiscard]] bool is_over() const { return stage_ == Stage::kOver; }
  /// The candidate that was asked for last.
  [[nodiscard]] std::size_t wanted() const { return candidate_; }
  /// The loader with the settings that were asked for; null until the script says that it has them.
  [[nodiscard]] const WatchedLoader* current(const Watch& watch) const;
  /// The candidate that stays: what is recommended where it was tried and was faster than the
  /// script's own settings, by more than the tolerance and, to 80 %, not by chance; else these.
  /// Where it was not tried, the best that was.
  [[nodiscard]] std::size_t chosen() const;
  /// What is recommended so far; nothing before enough is known.
  [[nodiscard]] std::optional<Decision> decision() const { return tuner_->decision(); }
  /// As it was when tuning began.
  [[nodiscard]] const WatchedLoader& present() const { return present_; }
  [[nodiscard]] const ScriptLoader& settings(std::size_t candidate) const {
    return loaders_.at(candidate);
  }
  /// Seconds that trying has cost so far.
  [[nodiscard]] double cost() const { return cost_; }
  /// The same of what `bound_steps` steps take at the best rate known.
  [[nodiscard]] double cost_share() const;
  [[nodiscard]] const InPlaceAims& aims() const { return aims_; }

 private:
  enum class Stage { kStarting, kSwitching, kFirstStep, kMeasuring, kFailed, kOver };
  // What starting so many workers took, by epochs that began with them.
  struct KnownStart {
    std::size_t workers = 0;
    double seconds = 0.0;
  };
  // Of the loader at all of its settings.
  struct Totals {
    std::size_t steps = 0;
    double shares = 0.0;  // Of steps with the present batch size.
    double seconds = 0.0;
    double paused = 0.0;
    StepSums first_batches;
  };

  [[nodiscard]] std::size_t unit_steps() const;
  [[nodiscard]] std::size_t segment_steps() const;
  [[nodiscard]] bool is_faster(const Decision& decided) const;
  [[nodiscard]] bool is_surely_worse(const Measurement& segment) const;
  std::optional<ScriptLoader> next(const Watch& watch);
  [[nodiscard]] std::optional<std::size_t> next_candidate();
  [[nodiscard]] std::optional<std::size_t> first_with(std::size_t workers) const;
  void add_start(const Measurement& segment, std::optional<std::size_t> round, double start);
  void add_failure(std::size_t candidate, const std::string& reason);
  void exclude(std::size_t candidate, const std::string& reason);
  std::optional<ScriptLoader> measure(const WatchedLoader& now, const Watch& watch);
  void end_segment(const Watch& watch, const WatchedLoader& now, const Measurement& segment);
  [[nodiscard]] double measured_start(const WatchedLoader& now, double step) const;
  [[nodiscard]] bool awaits_epoch(const WatchedLoader& now, const Watch& watch) const;
  void charge(double seconds);
  void charge_failure(const Watch& watch);
  void predict_whole_epochs(std::vector<std::optional<Prediction>>& predictions) const;
  /// Seconds a step that the begins of epochs take.
  [[nodiscard]] double start_share(double start) const;
  /// Seconds that starting its workers takes, as far as is known.
  [[nodiscard]] double start_of(std::size_t candidate) const;
  [[nodiscard]] double expected_step(std::size_t candidate) const;
  [[nodiscard]] double bound_of(std::size_t candidate) const;
  [[nodiscard]] bool is_affordable(std::size_t candidate) const;
  /// What `bound_steps` steps of `step` seconds take, or least_seconds.
  [[nodiscard]] double bound_seconds(double step) const;
  [[nodiscard]] Totals totals(const Watch& watch) const;
  /// Seconds beyond best_step_.
  [[nodiscard]] double cost_since(const Totals& begin, const Watch& watch) const;

  InPlaceAims aims_;
  Limits limits_;
  WatchedLoader present_;  // As it was when tuning began.
  std::vector<ScriptLoader> loaders_;
  std::vector<CellResult> cells_;              // One a candidate.
  std::vector<std::optional<double>> starts_;  // Of each candidate, seconds, as measured.
  std::optional<KnownStart> known_start_;
  std::optional<double> epoch_length_;
  std::size_t burst_ = 1;  // Steps from one that takes most of the time to the next one.
  std::optional<Tuner> tuner_;
  Stage stage_ = Stage::kStarting;
  std::size_t candidate_ = 0;  // Which the loader has, or is to have.
  std::size_t first_ = 0;      // Step of the setting with which the segment begins.
  double samples_ = 0.0;       // Of a batch when tuning began.
  Totals begun_;               // What the loader had when the segment before ended.
  Totals switched_;   // The same after the first step of a new setting, which waits for workers.
  Totals failed_;     // The same at a failure.
  Nanos asked_at_{};  // For the settings that failed.
  std::size_t interrupted_ = 0;  // Segments of this trial that a pause ended too early.
  std::optional<std::size_t> round_;
  std::string why_given_up_;
  std::string why_too_dear_;
  std::vector<FailedTrial> failures_;
  double best_step_ = 0.0;  // Seconds.
  double cost_ = 0.0;       // Seconds beyond best_step_, of all steps.
  double dearest_ = 0.0;    // Of one segment.
};

}  // namespace feedrate
