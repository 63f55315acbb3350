// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <utility>

#include "bench/trainers/event_clock.h"
#include "bench/trainers/trainer.h"
#include "core/nvtx.h"
#include "loaders/image_batch.h"

namespace feedrate {
namespace {

struct StepEvents {
  std::unique_ptr<DeviceEvent> copy_begin, copy_end, compute_begin, compute_end;
};

// A batch between its copy and the collection of its times, which frees its entry.
struct Flight {
  StepEvents events;
  std::size_t samples = 0;
  std::size_t units = 0;
  std::uint64_t sequence = 0;
};

// `last_use` is the event after which the memory may be overwritten.
struct Slot {
  DeviceBuffer memory;
  std::vector<PlannedImage> images = {};
  const DeviceEvent* last_use = nullptr;
};

// More than can be pending: kRunAhead copies, and the steps of earlier slots.
constexpr std::size_t kFlights = 32;

// One slot is in use by a step, and a side stream fills one.
std::size_t slots_for(const DeviceTrainerOptions& options) { return options.device_prefetch + 2; }

class DeviceTrainer final : public Trainer {
 public:
  DeviceTrainer(Device& device, const DeviceTrainerOptions& options, std::unique_ptr<StepWork> work)
      : device_(device),
        options_(options),
        work_(std::move(work)),
        compute_stream_(device.default_stream()),
        side_stream_(options.copy_stream == CopyStream::kSide || options.device_prefetch > 0
                         ? device.create_stream(StreamKind::kNonBlocking)
                         : nullptr),
        slots_(slots_for(options)) {
    for (Slot& slot : slots_) slot.memory = device_.allocate(options.batch_bytes);
    if (options.normalize) normalized_ = device_.allocate(options.batch_bytes * sizeof(float));
    if (options.transform && options.transform->decodes) decoder_ = device_.open_jpeg_decoder();
    for (Flight& flight : flights_) flight.events = create_events();
    clock_.emplace(device_);
  }

  // The device may still read from batches in flight.
  ~DeviceTrainer() override {
    try {
      device_.synchronize();
    } catch (const std::exception&) {  // Nothing is pending on a failed device.
    }
  }

  StepTiming step(Batch batch) override {
    StepTiming timing;
    copy(std::move(batch), timing);
    timing.copied = timing.launching = timing.launched = timing.trained = device_.clock().now();
    if (sent_ - trained_ > options_.device_prefetch) train(timing);
    return timing;
  }

  std::vector<DeviceSpans> finish() override {
    StepTiming unused;
    while (trained_ < sent_) train(unused);
    device_.synchronize();
    in_flight_.clear();
    collect();
    for (Slot& slot : slots_) slot.last_use = nullptr;
    const EventClock::Correction correct = clock_->resynchronize();
    for (DeviceSpans& span : spans_) {
      for (Nanos* time :
           {&span.copy_begin, &span.copy_end, &span.compute_begin, &span.compute_end}) {
        *time = correct(*time);
      }
    }
    return std::exchange(spans_, {});
  }

 private:
  // Destroys the batch at its end, as `x = x.to(device)` does with the host's tensor.
  void copy(Batch batch, StepTiming& timing) {
    const NvtxRange range("h2d", batch.sequence);
    if (sent_ - collected_ == kFlights) wait_for_oldest();
    Flight& flight = flight_of(sent_);
    Slot& slot = slot_of(sent_);
    flight.samples = batch.samples();
    flight.units = units_of(batch);
    flight.sequence = batch.sequence;
    DeviceStream& stream = side_stream_ ? *side_stream_ : compute_stream_;
    if (side_stream_ && slot.last_use) stream.wait(*slot.last_use);
    const bool is_resident = options_.resident && sent_ >= slots_.size();
    stream.record(*flight.events.copy_begin);
    if (!is_resident) send(batch.bytes(), slot, stream);
    stream.record(*flight.events.copy_end);
    ++sent_;
    timing.queued = device_.clock().now();
    if (is_resident) return;
    // Files must be kept until they are decoded, and pageable memory is not kept that long.
    const bool must_wait = decoder_ && batch.buffer->kind() == HostMemory::kPageable;
    if (options_.non_blocking && !must_wait) {
      batch.buffer->record_stream(stream);
      timing.ran_ahead = limit_copies_in_flight(*flight.events.copy_end);
    } else {
      stream.synchronize();
    }
  }

  void train(StepTiming& timing) {
    const Flight& flight = flight_of(trained_);
    const NvtxRange range("step", flight.sequence);
    Slot& slot = slot_of(trained_);
    Clock& clock = device_.clock();
    clock.work_for(options_.host_overhead);
    timing.launching = clock.now();
    if (side_stream_) compute_stream_.wait(*flight.events.copy_end);
    compute_stream_.record(*flight.events.compute_begin);
    if (options_.normalize) normalize(slot, flight.samples);
    if (options_.transform) transform(slot);
    work_->launch(compute_stream_, flight.units);
    compute_stream_.record(*flight.events.compute_end);
    timing.launched = clock.now();
    slot.last_use = flight.events.compute_end.get();
    ++trained_;
    const bool waits = options_.sync_every != 0 && trained_ % options_.sync_every == 0;
    if (waits) {
      collect();
      compute_stream_.synchronize();
    }
    timing.trained = clock.now();
    if (!waits) collect();
  }

  [[nodiscard]] std::size_t units_of(const Batch& batch) const {
    if (options_.unit_bytes == 0) return batch.samples();
    const std::size_t labels = options_.label_bytes * batch.samples();
    return (batch.bytes_used - std::min(labels, batch.bytes_used)) / options_.unit_bytes;
  }

  void send(Bytes batch, Slot& slot, DeviceStream& stream) {
    if (!options_.transform) return stream.copy_to_device(slot.memory, batch);
    slot.images.clear();
    encoded_.clear();
    std::size_t end = 0;
    for (const auto& [plan, offset, size] : images_of(batch)) {
      slot.images.push_back({decoder_ ? end : offset, plan});
      if (!decoder_ || plan.height == 0) continue;
      encoded_.push_back({batch.subspan(offset, size), end, plan.height, plan.width});
      end += encoded_.back().bytes();
    }
    if (!decoder_) return stream.copy_to_device(slot.memory, batch);
    grow(slot.memory, end);
    decoder_->decode(stream, slot.memory, encoded_);
  }

  void transform(const Slot& slot) {
    const ImageOutput& output = options_.transform->output;
    grow(transformed_, slot.images.size() * output.values() * sizeof(float));
    compute_stream_.transform(transformed_, slot.memory, slot.images, output,
                              options_.transform->values);
  }

  // Decoded sizes are not known in advance. Waits for the device.
  void grow(DeviceBuffer& buffer, std::size_t bytes) {
    if (bytes <= buffer.size()) return;
    device_.synchronize();
    buffer = {};
    buffer = device_.allocate(capacity_for_images(bytes));
  }

  void normalize(const Slot& slot, std::size_t samples) {
    compute_stream_.normalize(normalized_, slot.memory, {samples, options_.normalize->pixels},
                              options_.normalize->values);
  }

  // Returns whether it had to wait.
  bool limit_copies_in_flight(const DeviceEvent& copied) {
    in_flight_.push_back(&copied);
    while (!in_flight_.empty() && in_flight_.front()->query()) in_flight_.pop_front();
    if (in_flight_.size() <= kRunAhead) return false;
    in_flight_.front()->synchronize();
    in_flight_.pop_front();
    return true;
  }

  // Reads the times of finished steps and frees their events. On a GPU each reading is a host call,
  // so train() calls this right after a launch, while the device computes.
  void collect() {
    while (collected_ < trained_ && flight_of(collected_).events.compute_end->query()) {
      StepEvents& events = flight_of(collected_).events;
      spans_.push_back({.copy_begin = clock_->at(*events.copy_begin),
                        .copy_end = clock_->at(*events.copy_end),
                        .compute_begin = clock_->at(*events.compute_begin),
                        .compute_end = clock_->advance(events.compute_end),
                        .flops = work_->flops(flight_of(collected_).units)});
      ++collected_;
    }
  }

  void wait_for_oldest() {
    flight_of(collected_).events.compute_end->synchronize();
    collect();
  }

  StepEvents create_events() {
    return {device_.create_event(), device_.create_event(), device_.create_event(),
            device_.create_event()};
  }

  Flight& flight_of(std::size_t step) { return flights_[step % kFlights]; }
  Slot& slot_of(std::size_t step) { return slots_[step % slots_.size()]; }

  Device& device_;
  const DeviceTrainerOptions options_;
  std::unique_ptr<StepWork> work_;
  DeviceStream& compute_stream_;
  std::unique_ptr<DeviceStream> side_stream_;
  std::vector<Slot> slots_;
  DeviceBuffer normalized_;
  DeviceBuffer transformed_;
  std::unique_ptr<JpegDecoder> decoder_;
  std::vector<EncodedImage> encoded_;
  std::array<Flight, kFlights> flights_;
  std::optional<EventClock> clock_;           // Created last, when all setup is done.
  std::size_t sent_ = 0;                      // Number of batches whose copy was issued,
  std::size_t trained_ = 0;                   // whose step was launched,
  std::size_t collected_ = 0;                 // and whose spans are known.
  std::vector<DeviceSpans> spans_;            // Since the last finish().
  std::deque<const DeviceEvent*> in_flight_;  // Events of pending copies.
};

}  // namespace

std::unique_ptr<Trainer> make_device_trainer(Device& device, const DeviceTrainerOptions& options,
                                             std::unique_ptr<StepWork> work) {
  return std::make_unique<DeviceTrainer>(device, options, std::move(work));
}

}  // namespace feedrate
