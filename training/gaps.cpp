// SPDX-License-Identifier: Apache-2.0
#include "training/gaps.h"

#include <algorithm>
#include <vector>

#include "core/statistics.h"

namespace feedrate {
namespace {

constexpr std::size_t kBlockSteps = 64;
constexpr std::size_t kMostBlocks = 15;
constexpr std::size_t kFewestSteps = 5;  // Fewer do not show the usual step.
constexpr double kSeveralBlocks = 3.0;
constexpr double kShortestPause = 0.2;
// A long gap that comes again within these blocks is a burst.
constexpr std::size_t kBurstBlocks = 4;
constexpr double kWeight = 0.05;  // Weight of the latest step in a moving average.

// Only the interpreter runs between two calls without work.
constexpr double kLongestIdle = 200e-6;
constexpr double kMostIdle = 0.05;  // Share of the mean gap.
constexpr std::size_t kSureGroups = 3;

constexpr std::size_t kRememberedSteps = 128;
constexpr double kNearlyAlways = 0.8;
constexpr double kFewBatches = 16.0;

void average(double& mean, double value, std::size_t count) {
  const double weight = std::max(kWeight, 1.0 / static_cast<double>(count));
  mean += weight * (value - mean);
}

}  // namespace

PauseDetector::Gap PauseDetector::add(double loading, double gap) {
  ++steps_;
  const double usual = usual_block();
  if (usual > 0.0 && gap >= kShortestPause && gap > kSeveralBlocks * usual) {
    Gap found;
    const bool is_burst = outlier_at_ > 0 && steps_ - outlier_at_ <= kBurstBlocks * kBlockSteps;
    found.paused = is_burst ? 0.0 : gap - training_;
    found.regained = is_burst ? outlier_paused_ : 0.0;
    outlier_at_ = steps_;
    outlier_paused_ = found.paused;
    return found;
  }
  average(training_, gap, steps_);
  block_ += loading + gap;
  longest_ = std::max(longest_, loading + gap);
  if (++in_block_ == kBlockSteps) {
    blocks_.push_back(block_);
    if (blocks_.size() > kMostBlocks) blocks_.pop_front();
    block_ = longest_ = 0.0;
    in_block_ = 0;
  }
  return {};
}

// Before the first whole block, its steps are extrapolated without the longest one.
double PauseDetector::usual_block() const {
  if (!blocks_.empty()) return median(std::vector<double>(blocks_.begin(), blocks_.end()));
  if (in_block_ < kFewestSteps) return 0.0;
  return (block_ - longest_) / static_cast<double>(in_block_ - 1) * kBlockSteps;
}

void BatchGroups::add(double gap) {
  average(mean_gap_, gap, ++gaps_);
  if (gap < kLongestIdle && gap < kMostIdle * mean_gap_) {
    ++calls_;
    return;
  }
  seen_ = calls_ == candidate_ ? seen_ + 1 : 1;
  candidate_ = calls_;
  calls_ = 1;
  if (seen_ >= kSureGroups) size_ = candidate_;
}

void Interleaving::add(std::size_t batches) {
  if (steps_ == kRememberedSteps) {
    steps_ /= 2;
    with_ /= 2;
    batches_ /= 2;
  }
  ++steps_;
  if (batches > 0) ++with_;
  batches_ += batches;
}

bool Interleaving::is_regular() const {
  return static_cast<double>(with_) >= kNearlyAlways * static_cast<double>(steps_) && with_ > 0 &&
         static_cast<double>(batches_) <= kFewBatches * static_cast<double>(with_);
}

}  // namespace feedrate
