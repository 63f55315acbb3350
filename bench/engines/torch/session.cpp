// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/torch/session.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "bench/engines/torch/parent_trainer.h"
#include "core/error.h"
#include "core/host/io_counters.h"
#include "core/host/processes.h"

namespace feedrate {
namespace {

// Nothing if one of them has ended: its time cannot be known any more.
std::optional<double> sum_cpu_seconds(const std::vector<pid_t>& processes) {
  double sum = 0.0;
  for (const pid_t process : processes) {
    const std::optional<double> seconds = cpu_seconds_of(process);
    if (!seconds) return std::nullopt;
    sum += *seconds;
  }
  return sum;
}

class Session {
 public:
  Session(Conversation& child, const TorchSessionOptions& options)
      : child_(child), options_(options) {
    if (options.make_trainer) {
      trainer_.emplace(options.make_trainer, options.allocate, options.largest_batch);
    }
  }

  TorchSessionResult run() {
    while (!done_) {
      const TorchMessage message = child_.next();
      std::visit([this](const auto& what) { take(what); }, message);
    }
    check_steps();
    child_.finish();
    return std::move(result_);
  }

 private:
  void take(const TorchPrepared& prepared) { result_.prepared = prepared; }
  void take(const TorchDeviceStep& step) { result_.device_step = step.name; }
  void take(const TorchFirstBatch& first) {
    epochs().push_back({.first_batch = first.took.value_or(Nanos(0)),
                        .end = std::nullopt,
                        .is_delayed = !first.took.has_value()});
    const bool is_long = epochs().size() == options_.protocol.short_epochs + 1;
    if (is_long && options_.on_warm_up) options_.on_warm_up();
  }

  void take(const TorchEpochEnd& end) {
    if (epochs().empty()) out_of_turn("epoch_end");
    epochs().back().end = end.took;
  }

  void take(const TorchBatch& batch) {
    if (!trainer_) out_of_turn("batch");
    const HostMemory kind = batch.pinned ? HostMemory::kPinned : HostMemory::kPageable;
    options_.clock->resume_at(batch.release);
    StepMarks marks;
    marks.asked = batch.asked;
    marks.loaded = batch.loaded;
    marks.samples = batch.samples;
    marks.bytes = batch.bytes;
    marks.add(trainer_->step(batch.samples, batch.bytes, kind));
    child_.answer(options_.clock->now());
    if (in_window_) keep(marks);
  }

  void take(const TorchWindow& window) {
    processes_ = window.processes;
    cpu_before_ = cpu_seconds();
    in_window_ = true;
    child_.answer();
  }

  void take(const TorchWindowOver& over) {
    const std::optional<double> cpu_after = cpu_seconds();
    result_.measurement.tokens = over.tokens;
    result_.epochs_in_window = over.epochs;
    result_.cpu_known = cpu_before_ && cpu_after && over.processes == processes_;
    if (result_.cpu_known) result_.measurement.cpu_seconds = *cpu_after - *cpu_before_;
    in_window_ = false;
    if (options_.on_window_over) options_.on_window_over();
    if (trainer_) result_.measurement.spans = trainer_->finish();
    result_.measurement.owed = options_.protocol.device_prefetch;
    child_.answer();
  }

  void take(const TorchMarks& marks) {
    for (const StepMarks& step : marks.steps) keep(step);
  }
  void take(const TorchSpans& spans) { append(result_.measurement.spans, spans.spans); }

  void take(const TorchWarning& warning) const {
    if (options_.on_python_warning) options_.on_python_warning(warning.text);
  }

  void take(const TorchDone& done) {
    result_.pinned_bytes = done.pinned_bytes;
    done_ = true;
  }

  // Closes the gap to the step before, so that steps fill the window that the rate counts. The gap
  // is the loop's own Python and the travel of our reply.
  void keep(StepMarks marks) {
    std::vector<StepMarks>& kept = result_.measurement.kept;
    if (!kept.empty()) marks.asked = kept.back().trained;
    kept.push_back(marks);
  }

  void take(const TorchHello& /*hello*/) {}
  void take(const TorchProbed& /*probed*/) { out_of_turn("probed"); }
  void take(const TorchServing& /*serving*/) { out_of_turn("serving"); }
  void take(const TorchForked& /*forked*/) { out_of_turn("forked"); }
  void take(const TorchReaped& /*reaped*/) { out_of_turn("reaped"); }
  void take(const TorchFailure& /*failure*/) {}  // Conversation has thrown it.

  // Sums our time, which includes the trainer, and the loader's.
  std::optional<double> cpu_seconds() const {
    const std::optional<double> loader = sum_cpu_seconds(processes_);
    return loader ? std::optional(process_cpu_seconds() + *loader) : std::nullopt;
  }

  std::vector<EpochMarks>& epochs() { return result_.measurement.epochs; }

  template <typename T>
  static void append(std::vector<T>& all, const std::vector<T>& more) {
    all.insert(all.end(), more.begin(), more.end());
  }

  [[noreturn]] static void out_of_turn(const char* event) {
    throw Error(fmt::format("the Python child sent \"{}\" unexpectedly", event));
  }

  void check_steps() const {
    const std::size_t kept = result_.measurement.kept.size();
    const std::size_t epochs = result_.measurement.epochs.size();
    const bool is_window =
        kept <= options_.protocol.kept_steps() && options_.protocol.is_window(kept, Nanos::max());
    if (is_window && epochs == options_.protocol.short_epochs + 1) return;
    throw Error(fmt::format("the Python child kept {} steps in {} epochs instead of {} in {}", kept,
                            epochs, options_.protocol.kept_steps(),
                            options_.protocol.short_epochs + 1));
  }

  Conversation& child_;
  const TorchSessionOptions& options_;
  std::optional<ParentTrainer> trainer_;
  TorchSessionResult result_;
  std::vector<pid_t> processes_;
  std::optional<double> cpu_before_;
  bool in_window_ = false;
  bool done_ = false;
};

}  // namespace

TorchSessionResult run_torch_session(Conversation& child, const TorchSessionOptions& options) {
  return Session(child, options).run();
}

}  // namespace feedrate
