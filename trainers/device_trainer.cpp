#include <array>
#include <cmath>
#include <deque>
#include <utility>

#include "trainers/trainer.h"

namespace feedrate {
namespace {

struct StepEvents {
  std::unique_ptr<DeviceEvent> copy_begin, copy_end, compute_begin, compute_end;
};

// Device memory for one batch, and the event after which it may be overwritten.
struct Slot {
  DeviceBuffer memory;
  const DeviceEvent* last_use = nullptr;
};

class DeviceTrainer final : public Trainer {
 public:
  DeviceTrainer(Device& device, const DeviceTrainerOptions& options, StepWork work)
      : device_(device),
        options_(options),
        work_(std::move(work)),
        compute_stream_(device.default_stream()),
        side_stream_(options.copy_stream == CopyStream::kSide
                         ? device.create_stream(StreamKind::kNonBlocking)
                         : nullptr),
        anchor_(device.create_event()) {
    for (Slot& slot : slots_) slot.memory = device_.allocate(options.batch_bytes);
    set_anchor();
  }

  // The device may still read from batches in flight.
  ~DeviceTrainer() override {
    try {
      device_.synchronize();
    } catch (const std::exception&) {  // Nothing can be under way on a device that failed.
    }
  }

  StepTiming step(Batch batch) override {
    Slot& slot = slots_[steps_ % slots_.size()];
    events_.push_back(take_events());
    StepEvents& events = events_.back();
    const std::size_t samples = batch.samples();

    copy(std::move(batch), slot, events);
    const Nanos copied = device_.clock().now();
    compute(samples, slot, events);
    return {.copied = copied, .trained = device_.clock().now()};
  }

  std::vector<DeviceSpans> finish() override {
    device_.synchronize();
    in_flight_.clear();
    std::vector<DeviceSpans> spans;
    for (const StepEvents& events : events_) spans.push_back(spans_of(events));
    for (Slot& slot : slots_) slot.last_use = nullptr;
    for (StepEvents& events : events_) spare_events_.push_back(std::move(events));
    events_.clear();
    return spans;
  }

 private:
  // The batch ends here, as the host's tensor does in `x = x.to(device)`.
  void copy(Batch batch, Slot& slot, StepEvents& events) {
    DeviceStream& stream = side_stream_ ? *side_stream_ : compute_stream_;
    if (side_stream_ && slot.last_use) stream.wait(*slot.last_use);
    stream.record(*events.copy_begin);
    stream.copy_to_device(slot.memory, batch.bytes());
    stream.record(*events.copy_end);
    if (options_.non_blocking) {
      batch.buffer->record_stream(stream);
      wait_for_room(*events.copy_end);
    } else {
      stream.synchronize();
    }
  }

  void compute(std::size_t samples, Slot& slot, StepEvents& events) {
    Clock& clock = device_.clock();
    clock.spin_until(clock.now() + options_.host_overhead);
    if (side_stream_) compute_stream_.wait(*events.copy_end);
    compute_stream_.record(*events.compute_begin);
    work_(compute_stream_, samples);
    compute_stream_.record(*events.compute_end);
    slot.last_use = events.compute_end.get();
    ++steps_;
    if (options_.sync_every != 0 && steps_ % options_.sync_every == 0) {
      compute_stream_.synchronize();
    }
  }

  void wait_for_room(const DeviceEvent& copied) {
    in_flight_.push_back(&copied);
    while (!in_flight_.empty() && in_flight_.front()->query()) in_flight_.pop_front();
    if (in_flight_.size() > kRunAhead) {
      in_flight_.front()->synchronize();
      in_flight_.pop_front();
    }
  }

  StepEvents take_events() {
    if (spare_events_.empty()) {
      return {device_.create_event(), device_.create_event(), device_.create_event(),
              device_.create_event()};
    }
    StepEvents events = std::move(spare_events_.back());
    spare_events_.pop_back();
    return events;
  }

  // Ties the device's time to the host's: an event recorded on an idle device is done when the host
  // has waited for it.
  void set_anchor() {
    device_.synchronize();
    compute_stream_.record(*anchor_);
    anchor_->synchronize();
    anchor_time_ = device_.clock().now();
  }

  DeviceSpans spans_of(const StepEvents& events) const {
    const auto at = [this](const DeviceEvent& event) {
      return anchor_time_ + device_.elapsed(*anchor_, event);
    };
    return {.copy_begin = at(*events.copy_begin),
            .copy_end = at(*events.copy_end),
            .compute_begin = at(*events.compute_begin),
            .compute_end = at(*events.compute_end)};
  }

  Device& device_;
  const DeviceTrainerOptions options_;
  StepWork work_;
  DeviceStream& compute_stream_;
  std::unique_ptr<DeviceStream> side_stream_;
  std::unique_ptr<DeviceEvent> anchor_;
  Nanos anchor_time_{};
  std::array<Slot, 2> slots_;  // Two, so that a side stream can fill one while the other is used.
  std::size_t steps_ = 0;
  std::deque<StepEvents> events_;  // Of the steps since the last finish(); a deque keeps addresses.
  std::vector<StepEvents> spare_events_;
  std::deque<const DeviceEvent*> in_flight_;  // Of the copies under way.
};

}  // namespace

StepWork make_burn_work(Nanos reference, std::size_t reference_batch) {
  const double per_sample =
      static_cast<double>(reference.count()) / static_cast<double>(reference_batch);
  return [per_sample](DeviceStream& stream, std::size_t samples) {
    stream.burn(Nanos(std::llround(per_sample * static_cast<double>(samples))));
  };
}

std::unique_ptr<Trainer> make_device_trainer(Device& device, const DeviceTrainerOptions& options,
                                             StepWork work) {
  return std::make_unique<DeviceTrainer>(device, options, std::move(work));
}

}  // namespace feedrate
