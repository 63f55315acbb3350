// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/protocol.h"

#include "core/host/io_counters.h"

namespace feedrate {
namespace {

class Protocol {
 public:
  Protocol(Loader& loader, Trainer& trainer, const Clock& clock, const ProtocolOptions& options,
           const std::stop_token& stop, const ProtocolEvents& events)
      : loader_(loader),
        trainer_(trainer),
        clock_(clock),
        options_(options),
        stop_(stop),
        events_(events) {}

  Measurement run() {
    for (std::size_t i = 0; i < options_.short_epochs; ++i) run_short_epoch();
    start_long_epoch();
    if (events_.on_warm_up) events_.on_warm_up();
    warm_up();
    measure_window();
    if (events_.on_window_over) events_.on_window_over();
    // finish() waits for the device, which would change the window.
    result_.spans = trainer_.finish();
    result_.owed = options_.device_prefetch;
    return std::move(result_);
  }

 private:
  void run_short_epoch() {
    start_epoch(options_.short_epoch_batches());
    const Nanos asked = [&] {
      for (;;) {
        const Nanos before = clock_.now();
        std::optional<Batch> batch = loader_.next(stop_);
        if (!batch) return before;
        note(*batch);
        trainer_.step(std::move(*batch));
      }
    }();
    result_.epochs.back().end = clock_.now() - asked;
  }

  // The epoch has max_outstanding more batches than steps, so that the workers stay busy up to the
  // last step. Otherwise the window would end with fewer batches in flight than it began with, and
  // the difference would count as loaded within it.
  void start_long_epoch() {
    result_.discarded.push_back(start_epoch(1 + options_.discarded_steps() + options_.kept_steps() +
                                            options_.max_outstanding));
  }

  // The first batch includes the start of the epoch: its step runs but is never kept.
  StepMarks start_epoch(std::size_t batches) {
    if (events_.on_epoch) events_.on_epoch();
    const Nanos start = clock_.now();
    loader_.start_epoch(result_.epochs.size(), batches, stop_);
    const StepMarks first = run_step();
    result_.epochs.push_back({first.loaded - start, std::nullopt, start});
    return first;
  }

  void warm_up() {
    for (std::size_t i = 0; i < options_.discarded_steps(); ++i) {
      result_.discarded.push_back(run_step());
    }
  }

  void measure_window() {
    result_.stages = {};
    result_.tokens = {};
    worker_cpu_ = {};
    loader_.start_window();
    const double cpu_before = process_cpu_seconds();
    do {
      result_.kept.push_back(run_step());
    } while (!options_.is_window(result_.kept.size(),
                                 result_.kept.back().trained - result_.kept.front().asked));
    result_.cpu_seconds = process_cpu_seconds() - cpu_before + to_seconds(worker_cpu_);
    result_.data_readiness = loader_.data_readiness();
  }

  StepMarks run_step() {
    StepMarks marks;
    marks.asked = clock_.now();
    Batch batch = *loader_.next(stop_);
    marks.loaded = clock_.now();
    marks.samples = batch.samples();
    marks.bytes = batch.bytes_used;
    marks.history = batch.history;
    note(batch);
    marks.add(trainer_.step(std::move(batch)));
    return marks;
  }

  void note(const Batch& batch) {
    result_.stages += batch.times;
    result_.tokens += batch.tokens;
    worker_cpu_ += batch.worker_cpu;
    result_.damaged.insert(result_.damaged.end(), batch.damaged.begin(), batch.damaged.end());
  }

  Loader& loader_;
  Trainer& trainer_;
  const Clock& clock_;
  const ProtocolOptions& options_;
  const std::stop_token& stop_;
  const ProtocolEvents& events_;
  Measurement result_;
  Nanos worker_cpu_{};
};

}  // namespace

Measurement measure(Loader& loader, Trainer& trainer, const Clock& clock,
                    const ProtocolOptions& options, const std::stop_token& stop,
                    const ProtocolEvents& events) {
  return Protocol(loader, trainer, clock, options, stop, events).run();
}

}  // namespace feedrate
