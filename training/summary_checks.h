// SPDX-License-Identifier: Apache-2.0
// Decides which statements a summary may make, so that none contradicts another. The summary's
// text, its JSON and the page take their statements from here. Pure; any thread.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace feedrate {

/// The thing that a step waits for.
enum class Bound {
  kInput,     ///< its batch, in more than 10 % of the time
  kBalanced,  ///< its batch, in more than 2 %
  kTraining,  ///< the training itself; no GPU was timed
  kGpu,       ///< the training itself, on a GPU that CUDA events timed
  kUnknown,   ///< another thread takes the batches
};

/// "INPUT-BOUND".
[[nodiscard]] const char* to_string(Bound bound) noexcept;

/// Measurements of a loader's steps.
struct WaitFacts {
  double stall = 0.0;         ///< share of a step in which the training waits
  double slowest_part = 0.0;  ///< share of a step that the slowest of several loaders takes; no GPU
  bool has_gpu = false;       ///< CUDA events were seen
  bool is_taken_by_a_thread = false;
};

[[nodiscard]] Bound bound_of(const WaitFacts& facts);

/// The factor of the rate that no loader can beat; nothing if unknown.
[[nodiscard]] std::optional<double> most_to_win(const WaitFacts& facts);

/// Rate with the chosen settings divided by the rate with the script's own.
struct MeasuredGain {
  double ratio = 1.0;
  double low = 1.0;  ///< of the 95 % interval
  double high = 1.0;
};

struct FailedSettings {
  std::string settings;  ///< "num_workers=4"; empty: all but the script's own
  std::string reason;
};

/// The result of a tuning.
struct TuningFacts {
  std::string changes;          ///< "num_workers=0 -> 4"; empty: the script's own settings stay
  bool is_recommended = false;  ///< the settings that stay are those of the decision
  std::optional<MeasuredGain> gain;  ///< if both were measured in the same rounds
  double confidence = 0.0;
  double tolerance = 0.02;
  std::size_t considered = 1;
  std::size_t tried = 1;  ///< the script's own among them
  double cost_seconds = 0.0;
  double cost_share = 0.0;  ///< of `bound_base`
  double bound = 0.05;
  std::string bound_base;  ///< "1,000 steps"
  std::vector<FailedSettings> failed;
  std::vector<FailedSettings> unaffordable;  ///< would have cost more than the bound; not tried
  std::string why_given_up;
  bool is_over = true;
};

/// The outcome of a tuning. "Stay": the loader keeps these settings.
enum class TuningOutcome {
  kFaster,        ///< other settings stay, and were shown to be faster
  kNotShown,      ///< other settings stay; their interval holds 1
  kNotCompared,   ///< other settings stay, which were not measured beside the script's own
  kNoneFaster,    ///< the script's own stay; none of those tried was shown to be faster
  kNoneNeeded,    ///< the script's own stay; nothing was tried, since they wait for 2 % at most
  kNoneMeasured,  ///< the script's own stay; all trials failed
  kNoneFits,      ///< the script's own stay; each trial would have cost more than the bound
  kNoneTried,     ///< the script's own stay; nothing was tried
  kGivenUp,       ///< the script's own were restored
};

[[nodiscard]] const char* to_string(TuningOutcome outcome) noexcept;

/// The claim to which the confidence belongs.
enum class TuningClaim { kNone, kWithinTolerance, kPredicted, kNoneKnown, kBestTried };

struct TuningStatement {
  TuningOutcome outcome = TuningOutcome::kNoneTried;
  TuningClaim claim = TuningClaim::kNone;
  std::optional<MeasuredGain> gain;  ///< if it was shown
  double confidence = 0.0;           ///< below 1 if fewer than two were tried
  std::size_t possible = 1;          ///< settings considered without those that failed
  bool exceeds_most = false;         ///< the gain is more than most_to_win(), both as printed
  bool exceeds_bound = false;        ///< the cost is more than the bound, both as printed
};

/// `before`: of the steps with the script's own settings.
[[nodiscard]] TuningStatement state(const TuningFacts& tuning, const WaitFacts& before);

}  // namespace feedrate
