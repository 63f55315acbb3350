// SPDX-License-Identifier: Apache-2.0
#include "training/step_blocks.h"

#include <algorithm>

namespace feedrate {
namespace {

constexpr std::size_t kMostHistoryBlocks = 2048;

}  // namespace

StepSums& StepSums::operator+=(const StepSums& other) {
  steps += other.steps;
  samples += other.samples;
  loading += other.loading;
  training += other.training;
  first_batches += other.first_batches;
  epochs += other.epochs;
  return *this;
}

StepSums& StepSums::operator-=(const StepSums& other) {
  steps -= other.steps;
  samples -= other.samples;
  loading -= other.loading;
  training -= other.training;
  first_batches -= other.first_batches;
  epochs -= other.epochs;
  return *this;
}

std::optional<double> rate_of(const StepSums& sums) {
  const double seconds = sums.loading + sums.training;
  if (sums.samples == 0 || seconds <= 0.0) return std::nullopt;
  return static_cast<double>(sums.samples) / seconds;
}

void StepBlock::add(const StepBlock& next) {
  if (sums.steps == 0) begin = next.begin;
  end = next.end;
  sums += next.sums;
  gpu_idle += next.gpu_idle;
  gpu_busy += next.gpu_busy;
}

void StepBlocks::add(const StepBlock& block) {
  if (in_last_ == 0) blocks_.emplace_back();
  blocks_.back().add(block);
  in_last_ = (in_last_ + 1) % stride_;
  if (blocks_.size() < kMostHistoryBlocks || in_last_ != 0) return;
  for (std::size_t i = 0; 2 * i < blocks_.size(); ++i) {
    const StepBlock second = blocks_[2 * i + 1];
    blocks_[i] = blocks_[2 * i];
    blocks_[i].add(second);
  }
  blocks_.resize(kMostHistoryBlocks / 2);
  stride_ *= 2;
}

StepBlock* StepBlocks::at(Nanos time) {
  const auto block = std::find_if(blocks_.rbegin(), blocks_.rend(),
                                  [&](const StepBlock& one) { return one.begin <= time; });
  return block == blocks_.rend() || time >= block->end ? nullptr : &*block;
}

}  // namespace feedrate
