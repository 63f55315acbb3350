// SPDX-License-Identifier: Apache-2.0
#include "loaders/sequencer.h"

#include <deque>
#include <map>
#include <utility>

namespace feedrate {
namespace {

class StrictSequencer final : public Sequencer {
 public:
  void add(BatchResult result) override {
    const std::uint64_t sequence = result.sequence;
    early_.emplace(sequence, std::move(result));
  }

  std::optional<BatchResult> take() override {
    const auto due = early_.find(due_);
    if (due == early_.end()) return std::nullopt;
    ++due_;
    return std::move(early_.extract(due).mapped());
  }

  void reset() override {
    early_.clear();
    due_ = 0;
  }

 private:
  std::map<std::uint64_t, BatchResult> early_;
  std::uint64_t due_ = 0;
};

class AsCompletedSequencer final : public Sequencer {
 public:
  void add(BatchResult result) override { arrived_.push_back(std::move(result)); }

  std::optional<BatchResult> take() override {
    if (arrived_.empty()) return std::nullopt;
    std::optional<BatchResult> first(std::move(arrived_.front()));
    arrived_.pop_front();
    return first;
  }

  void reset() override { arrived_.clear(); }

 private:
  std::deque<BatchResult> arrived_;
};

}  // namespace

std::unique_ptr<Sequencer> make_strict_sequencer() { return std::make_unique<StrictSequencer>(); }

std::unique_ptr<Sequencer> make_as_completed_sequencer() {
  return std::make_unique<AsCompletedSequencer>();
}

}  // namespace feedrate
