// SPDX-License-Identifier: Apache-2.0
// Classifies the gaps between the batches of a loader: pauses, calls without work between them, and
// batches of other loaders. Each class takes one step at a time and needs a constant amount of
// memory. Times are seconds. One thread.
#pragma once
#include <cstddef>
#include <deque>

namespace feedrate {

/// Finds gaps between steps that are as long as several whole blocks of steps. A block has enough
/// steps for the usual bursts: a gap that recurs within a few blocks is a burst, no pause.
class PauseDetector {
 public:
  struct Gap {
    double paused = 0.0;    ///< the part that belongs to no step
    double regained = 0.0;  ///< pause of the previous outlier, which turns out to be none
  };

  /// Adds a step of `loading`, after which `gap` passed. Outliers do not change the usual block.
  Gap add(double loading, double gap);

 private:
  [[nodiscard]] double usual_block() const;

  std::deque<double> blocks_;    // Sums of the latest whole blocks.
  double block_ = 0.0;           // Sum of the present block.
  double longest_ = 0.0;         // Longest step of it.
  std::size_t in_block_ = 0;     // Steps of it.
  double training_ = 0.0;        // A moving average.
  std::size_t steps_ = 0;        // All steps, with outliers.
  std::size_t outlier_at_ = 0;   // `steps_` at the latest outlier; 0: there was none.
  double outlier_paused_ = 0.0;  // Of the latest outlier.
};

/// Counts next() calls without work between them, as of a trainer that takes all batches of an
/// accumulated step at once.
class BatchGroups {
 public:
  void add(double gap);
  /// An epoch begins.
  void begin() { calls_ = 1; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// No work was done since the latest call: more calls of its group follow.
  [[nodiscard]] bool is_open() const { return calls_ > 1; }

 private:
  double mean_gap_ = 0.0;
  std::size_t gaps_ = 0;
  std::size_t calls_ = 1;  // Calls of the present group.
  std::size_t candidate_ = 1;
  std::size_t seen_ = 0;  // Consecutive groups of `candidate_` calls.
  std::size_t size_ = 1;
};

/// Counts the batches of another loader between two steps of a loader.
class Interleaving {
 public:
  /// Adds a step with `batches` of the other loader.
  void add(std::size_t batches);
  /// Nearly each step has a few batches of it.
  [[nodiscard]] bool is_regular() const;
  [[nodiscard]] std::size_t steps() const { return steps_; }

 private:
  std::size_t steps_ = 0;  // Of the latest steps.
  std::size_t with_ = 0;
  std::size_t batches_ = 0;
};

}  // namespace feedrate
