// SPDX-License-Identifier: Apache-2.0
#include "loaders/processes/worker.h"

#include <cstring>
#include <ctime>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "core/host/resource_limits.h"
#include "core/host/sockets.h"
#include "loaders/batch_maker.h"
#include "loaders/processes/messages.h"

namespace feedrate {
namespace {

Nanos process_cpu_time() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + Nanos(time.tv_nsec);
}

class Worker {
 public:
  explicit Worker(const WorkerSetup& setup)
      : setup_(setup), sender_(setup.transport.make_sender()) {}

  void run() {
    spend(setup_.clock, setup_.options.costs.first_task);
    while (const auto frame = receive_frame(setup_.tasks)) {
      if (setup_.done) break;
      const Request request = unpack_request(*frame);
      if (!(request.task ? work_on(*request.task) : resume())) return;
    }
    spend(setup_.clock, setup_.options.costs.worker_exit);
  }

 private:
  /// The tensors of one batch, released after it is sent, as in PyTorch.
  struct Tensors {
    std::shared_ptr<OutgoingTensor> samples;
    std::shared_ptr<OutgoingTensor> labels;
  };

  // Keeps the fetcher: persistent workers keep the dataset open.
  bool resume() {
    spend(setup_.clock, setup_.options.costs.resume);
    return send({.worker = setup_.number, .content = Resumed{setup_.number}});
  }

  bool work_on(const BatchTask& task) {
    Reply reply{.worker = setup_.number, .sequence = task.sequence};
    Tensors tensors;
    try {
      reply.content = make(task, tensors);
    } catch (...) {
      reply.content = describe_current_exception(setup_.number);
    }
    return send(std::move(reply));
  }

  SentBatch make(const BatchTask& task, Tensors& tensors) {
    if (!fetcher_) fetcher_ = setup_.dataset.open_fetcher();
    tensors.samples = sender_->allocate(task.indices.size() * setup_.dataset.sample_bytes());
    const LoaderCosts& costs = setup_.options.costs;
    Batch batch = make_batch(task, *fetcher_, tensors.samples, costs.worker_sample,
                             costs.worker_batch, setup_.clock);
    const Bytes labels = std::as_bytes(std::span(batch.labels));
    tensors.labels = sender_->allocate(labels.size());
    if (!labels.empty()) {
      std::memcpy(tensors.labels->bytes().data(), labels.data(), labels.size());
    }
    const Nanos cpu = process_cpu_time();
    batch.worker_cpu = cpu - std::exchange(cpu_at_last_batch_, cpu);
    return {std::move(batch), tensors.samples->hand_over(), tensors.labels->hand_over()};
  }

  bool send(Reply reply) {
    reply.completed = setup_.clock.now();
    const std::vector<UniqueFd> descriptors = take_descriptors(reply);
    switch (send_packed(reply, descriptors)) {
      case SendOutcome::kSent:
        return true;
      case SendOutcome::kNobodyThere:
        return false;
      case SendOutcome::kTooManyInFlight:
        break;
    }
    reply.content = RemoteError{
        ErrorKind::kOther,
        fmt::format("too many descriptors of batches wait for the receiver ({}) (in worker process "
                    "{}, pid {})",
                    descriptor_limit_hint(), setup_.number, ::getpid())};
    return send_packed(reply, {}) == SendOutcome::kSent;
  }

  [[nodiscard]] SendOutcome send_packed(const Reply& reply,
                                        const std::vector<UniqueFd>& descriptors) const {
    return send_result(setup_.results, static_cast<std::uint32_t>(setup_.number), pack(reply),
                       descriptors);
  }

  const WorkerSetup& setup_;
  std::unique_ptr<TensorSender> sender_;
  std::unique_ptr<Fetcher> fetcher_;
  Nanos cpu_at_last_batch_{};
};

}  // namespace

void run_worker(const WorkerSetup& setup) { Worker(setup).run(); }

}  // namespace feedrate
