// SPDX-License-Identifier: Apache-2.0
#include "training/step_log.h"

#include <algorithm>

#include "training/results.h"

namespace feedrate {
namespace {

constexpr std::size_t kMostSteps = 100'000;
constexpr std::size_t kMostSegments = 100;
constexpr std::size_t kLatestEpochs = 1'024;
constexpr std::size_t kMostNotes = 4'096;

// Keeps the first `fixed` values and the latest ones.
template <typename Value>
void append_bounded(std::vector<Value>& values, const Value& value, std::size_t most,
                    std::ptrdiff_t fixed) {
  if (values.size() >= most) {
    values.erase(values.begin() + fixed, values.begin() + static_cast<std::ptrdiff_t>(most / 2));
  }
  values.push_back(value);
}

}  // namespace

void StepLog::begin_phase(Phase phase) {
  phase_ = phase;
  phase_steps_ = 0;
}

void StepLog::change(WatchedLoader& cell, const SettingRequest& request) {
  if (cell_ != nullptr) cell_->is_current = false;
  cell_ = &cell;
  cell.is_current = true;
  cell.thread = thread_;
  cell.batches_per_step = groups_.size();
  cell.resumed = cell.steps;
  next_ = {request.number, settings_of(request.settings), request.use};
  has_next_ = true;
  block_ = {};
  begin_phase(Phase::kSwitched);
  to_discard_ = discarded_steps(cell.loader);
}

void StepLog::fail(const SettingRequest& request, const std::string& problem) {
  if (segments_.empty()) return;
  if (next_.request != request.number) {
    next_ = {request.number, settings_of(request.settings), request.use};
    has_next_ = true;
  }
  segment(segments_.back().end).problem = problem;
}

void StepLog::begin_epoch(const ScriptMark& mark) {
  if (end_) {
    append_bounded(cell_->epoch_gaps, to_seconds(mark.asked - *end_), kLatestEpochs, 1);
  }
  begin_phase(epochs_ == 0 ? Phase::kFirstEpoch : Phase::kEpoch);
  to_discard_ = epochs_ == 0 ? discarded_steps(cell_->loader) : 0;
  epoch_batches_ = 0;
  is_after_pause_ = false;
  thread_ = cell_->thread = mark.thread;
  groups_.begin();
  begin_ = mark;
  step_.reset();
  end_.reset();
}

// Workers stop at an epoch's end, which the training waits for as for their start.
void StepLog::end_epoch(const ScriptMark& mark) {
  std::vector<EpochMarks>& epochs = cell_->epochs;
  if (!epochs.empty()) epochs.back().end = mark.loaded - mark.asked;
  end_ = mark.loaded;
  if (epoch_batches_ == 0) return;
  const double seconds = to_seconds(mark.loaded - mark.asked);
  cell_->first_batches.loading += seconds;
  block_.sums.loading += seconds;
  block_.sums.first_batches += seconds;
  (epochs_ == 1 ? cell_->first_start : cell_->epoch_starts).seconds += seconds;
}

void StepLog::leave_epoch(Nanos duration) {
  if (step_) step_->left += duration;
}

void StepLog::add_batch(const ScriptMark& mark) {
  Step step{.mark = mark, .cell = cell_, .loading = mark.loaded - mark.asked};
  if (const auto begin = std::exchange(begin_, std::nullopt)) {
    step.is_first = true;
    ++epochs_;
    step.loading += begin->loaded - begin->asked;
    append_bounded(cell_->epochs, {mark.loaded - begin->asked, std::nullopt, begin->asked},
                   kLatestEpochs, 1);
    cell_->first_batches += {.loading = to_seconds(step.loading), .epochs = 1};
  }
  const std::size_t unsteady =
      phase_ == Phase::kPaused ? most_outstanding(cell_->loader) : discarded_steps(cell_->loader);
  step.fate = to_discard_ > 0            ? StepFate::kDiscarded
              : phase_steps_ >= unsteady ? StepFate::kSteady
                                         : StepFate::kKept;
  ++cell_->batches;
  if (cell_->loader.num_workers == 0 && mark.cpu) {
    cell_->add_fetch(mark.loaded - mark.asked, *mark.cpu);
  }
  add_note(step);
  step_ = step;
}

void StepLog::add_note(const Step& step) {
  const bool spans_pause = std::exchange(is_after_pause_, false);
  const bool is_kept = step.fate != StepFate::kDiscarded && !spans_pause;
  notes_.push_back(
      {step.mark.loader, step.mark.epoch, epoch_batches_++, step.mark.asked, cell_, is_kept});
  if (notes_.size() > kMostNotes) notes_.pop_front();
}

void StepLog::end_step(Nanos trained, Nanos now) {
  Step step = *std::exchange(step_, std::nullopt);
  double training = to_seconds(std::max(Nanos(0), trained - step.mark.loaded - step.left));
  double paused = to_seconds(now - trained);
  if (trained == now) {
    const PauseDetector::Gap found = pauses_.add(to_seconds(step.loading), training);
    block_.sums.training += found.regained;
    step.cell->paused -= found.regained;
    training -= found.paused;
    paused = found.paused;
  }
  step.loading += step.left;
  groups_.add(training);
  log(step, training, paused);
}

void StepLog::log(const Step& step, double training, double paused) {
  WatchedLoader& cell = *step.cell;
  const double loading = to_seconds(step.loading);
  const bool is_kept = step.fate != StepFate::kDiscarded;
  const bool is_steady = step.fate == StepFate::kSteady;
  append_bounded(cell.log,
                 {step.loading, from_seconds(training), step.mark.samples,
                  is_steady && paused > 0.0 ? StepFate::kKept : step.fate},
                 kMostSteps, 0);
  ++cell.steps;
  if (is_kept) ++cell.kept;
  cell.seconds += (step.is_first ? 0.0 : loading) + training;
  cell.paused += paused;
  if (step.is_first) ++start_of(cell).count;
  if (!is_steady && phase_ != Phase::kPaused) {
    StartSums& start = start_of(cell);
    ++start.steps;
    start.seconds += loading + training;
  }
  add_to_block(step, training);
  ++phase_steps_;
  if (paused == 0.0) return;
  begin_phase(Phase::kPaused);  // The workers went on: as at an epoch's begin.
  is_after_pause_ = true;
  cell.resumed = cell.steps;
}

// Whole groups, also before their size is known.
void StepLog::add_to_block(const Step& step, double training) {
  const double loading = to_seconds(step.loading);
  const Nanos begin = step.mark.loaded - step.loading;
  const Nanos end = step.mark.loaded + from_seconds(training);
  LogSegment& now = segment(begin);
  now.end = end;
  ++now.steps;
  if (step.fate == StepFate::kDiscarded) {
    if (to_discard_ > 1 || (to_discard_ == 1 && !groups_.is_open())) --to_discard_;
    return;
  }
  block_.add({begin,
              end,
              {.steps = 1,
               .samples = step.mark.samples,
               .loading = loading,
               .training = training,
               .first_batches = step.is_first ? loading : 0.0,
               .epochs = step.is_first ? std::size_t{1} : 0}});
  const std::size_t whole = block_of(step.cell->loader, groups_.size());
  if (block_.sums.steps < whole || groups_.is_open()) return;
  step.cell->sums += block_.sums;
  now.blocks.add(std::exchange(block_, {}));
}

StartSums& StepLog::start_of(WatchedLoader& cell) const {
  return phase_ == Phase::kFirstEpoch ? cell.first_start
         : phase_ == Phase::kEpoch    ? cell.epoch_starts
                                      : cell.switches;
}

LogSegment& StepLog::segment(Nanos begin) {
  if (!std::exchange(has_next_, false)) return segments_.back();
  const bool is_same = !segments_.empty() && segments_.back().request == next_.request &&
                       segments_.back().settings == next_.settings;
  if (is_same) return segments_.back();
  if (segments_.size() == kMostSegments) segments_.erase(segments_.begin() + 1);
  segments_.push_back(next_);
  segments_.back().begin = segments_.back().end = begin;
  return segments_.back();
}

StepBlock* StepLog::block_at(Nanos time) {
  const auto segment = std::find_if(segments_.rbegin(), segments_.rend(),
                                    [&](const LogSegment& one) { return one.begin <= time; });
  return segment == segments_.rend() ? nullptr : segment->blocks.at(time);
}

void StepLog::add_span(const ScriptSpan& span) {
  const auto note = std::find_if(notes_.rbegin(), notes_.rend(), [&](const Note& one) {
    return one.loader == span.loader && one.epoch == span.epoch && one.number == span.step;
  });
  if (note == notes_.rend() || !span.idle || !note->is_kept) return;
  const double idle = to_seconds(*span.idle), busy = to_seconds(span.busy);
  ++note->cell->gpu_steps;
  note->cell->gpu_idle += idle;
  note->cell->gpu_busy += busy;
  if (StepBlock* const block = block_at(note->asked)) {
    block->gpu_idle += idle;
    block->gpu_busy += busy;
  }
}

}  // namespace feedrate
