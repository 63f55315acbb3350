// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "bench/engines/ranked/gradient_sum.h"
#include "core/error.h"
#include "device/nccl_library.h"

namespace feedrate {
namespace {

void require(const Nccl& nccl, int result) {
  if (result == nccl::kSuccess || result == nccl::kInProgress) return;
  throw DeviceError(fmt::format("NCCL: {}", nccl.describe(result)));
}

// Owns a communicator. A call of NCCL waits forever for a lost rank unless it is aborted.
class Communicator {
 public:
  Communicator(const Nccl& nccl, int rank, int ranks, const nccl::UniqueId& id) : nccl_(nccl) {
    nccl::Config config;
    require(nccl_, nccl_.api().comm_init_rank_config(&comm_, ranks, id, rank, &config));
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator() {
    if (comm_ == nullptr) return;
    // comm_destroy() would wait for a sum that other ranks may never begin.
    static_cast<void>(is_idle_ ? nccl_.api().comm_destroy(comm_) : nccl_.api().comm_abort(comm_));
  }

  void begin(const DeviceBuffer& values) {
    is_idle_ = false;
    require(nccl_,
            nccl_.api().all_reduce(values.data(), values.data(), values.size() / sizeof(float),
                                   nccl::kFloat, nccl::kSum, comm_, nullptr));
  }

  [[nodiscard]] bool is_queued() const {
    int result = nccl::kSuccess;
    require(nccl_, nccl_.api().comm_get_async_error(comm_, &result));
    require(nccl_, result);
    return result == nccl::kSuccess;
  }
  void set_idle() noexcept { is_idle_ = true; }

 private:
  const Nccl& nccl_;
  NcclComm comm_ = nullptr;
  bool is_idle_ = false;
};

class NcclSum final : public GradientSum {
 public:
  NcclSum(RankGroup& group, std::unique_ptr<const Nccl> nccl, std::unique_ptr<Device> device,
          std::size_t bytes)
      : group_(group),
        nccl_(std::move(nccl)),
        device_(std::move(device)),
        done_(device_->create_event()),
        // This rank's `own` comes first, where copies begin.
        values_(device_->allocate((bytes / sizeof(float) + 2) * sizeof(float))) {}

  // NCCL uses this thread's current device, which allocate() has set.
  void connect(const nccl::UniqueId& id, const std::stop_token& stop) {
    communicator_.emplace(*nccl_, group_.rank(), group_.size(), id);
    wait_until([&] { return communicator_->is_queued(); }, stop);
    static_cast<void>(add_up(0.0F, stop));  // The first sum makes connections.
  }

  float add_up(float own, const std::stop_token& stop) override {
    DeviceStream& stream = device_->default_stream();
    const std::span<float, 1> value(&own, 1);
    stream.copy_to_device(values_, std::as_bytes(value));
    communicator_->begin(values_);
    wait_until([&] { return communicator_->is_queued(); }, stop);
    stream.record(*done_);
    wait_until([&] { return done_->query(); }, stop);
    communicator_->set_idle();
    stream.copy_to_host(std::as_writable_bytes(value), values_);
    return own;
  }

  std::string path() const override { return nccl_->version(); }

 private:
  // Polls, because a wait for the stream would never return once a rank is lost.
  template <typename Done>
  void wait_until(const Done& done, const std::stop_token& stop) const {
    while (!done()) {
      group_.check();
      if (stop.stop_requested()) throw Cancelled();
    }
  }

  RankGroup& group_;
  const std::unique_ptr<const Nccl> nccl_;
  const std::unique_ptr<Device> device_;
  std::unique_ptr<DeviceEvent> done_;
  DeviceBuffer values_;
  std::optional<Communicator> communicator_;
};

// Returns the first reason of any rank, or "" if all ranks can use NCCL. All ranks call it.
std::string any_reason(RankGroup& group, const std::string& own, const std::stop_token& stop) {
  for (const std::string& reason : group.all_gather(own, stop)) {
    if (!reason.empty()) return reason;
  }
  return {};
}

// Returns the message of what `step` throws; passes on RankLost and Cancelled.
template <typename Step>
std::string reason_of(const Step& step) {
  try {
    step();
    return {};
  } catch (const RankLost&) {
    throw;
  } catch (const Cancelled&) {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

std::unique_ptr<GradientSum> make_nccl_sum(RankGroup& group, const OpenDevice& open,
                                           std::size_t bytes, const std::stop_token& stop,
                                           std::string& why_not) {
  std::unique_ptr<NcclSum> sum;
  nccl::UniqueId id{};
  const auto prepare = [&] {
    auto library = std::make_unique<const Nccl>();
    if (!library->problem().empty()) throw Error(library->problem());
    if (group.rank() == 0) require(*library, library->api().get_unique_id(&id));
    sum = std::make_unique<NcclSum>(group, std::move(library), open(), bytes);
  };
  why_not = any_reason(group, reason_of(prepare), stop);
  if (!why_not.empty()) return nullptr;
  const std::string sent = group.broadcast({id.bytes.data(), id.bytes.size()}, 0, stop);
  std::copy_n(sent.begin(), std::min(sent.size(), id.bytes.size()), id.bytes.begin());
  why_not = any_reason(group, reason_of([&] { sum->connect(id, stop); }), stop);
  if (!why_not.empty()) return nullptr;
  return sum;
}

}  // namespace feedrate
