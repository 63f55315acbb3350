// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>

#include "bench/ranks/join.h"
#include "bench/ranks/star_group.h"
#include "core/error.h"
#include "core/fork_mutex.h"

namespace feedrate {
namespace {

using std::chrono::milliseconds;
using MpiTime = std::chrono::steady_clock::time_point;

constexpr std::chrono::seconds kHeartbeat{1};
// In heartbeats of this rank, so that a pause of the whole job counts for none.
constexpr int kMostSilence = 7;
constexpr std::chrono::seconds kShutdownTimeout{10};
constexpr std::size_t kMostNumbersAtOnce = std::size_t{1} << 22;
constexpr int kTag = 1;

std::string library_version() {
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  int size = 0;
  if (::MPI_Get_library_version(text.data(), &size) != MPI_SUCCESS) return "MPI";
  text.resize(static_cast<std::size_t>(size));
  // The version is followed by text: "Open MPI v4.1.4, package: …", or more lines.
  return text.substr(0, text.find_first_of(",\n"));
}

void require_mpi(int code) {
  if (code == MPI_SUCCESS) return;
  throw Error(fmt::format("{}: a call failed with error {}", library_version(), code));
}

// MPI has no blocking wait that sleeps. Pauses grow with the wait, so that a waiting rank takes
// little CPU time from working ones.
void pause_after(MpiTime begun) {
  constexpr std::chrono::microseconds kBusy{20};
  constexpr std::chrono::microseconds kLongest{1000};
  const auto waited = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begun);
  if (waited < kBusy) return std::this_thread::yield();
  std::this_thread::sleep_for(std::min(waited / 10, kLongest));
}

// A thread exchanges heartbeats, which are empty messages, between rank 0 and the others.
class MpiLinks final : public Links {
 public:
  MpiLinks(int rank, int size) : peers_(static_cast<std::size_t>(rank == 0 ? size : 1)) {
    require_mpi(::MPI_Comm_dup(MPI_COMM_WORLD, &messages_));
    require_mpi(::MPI_Comm_dup(MPI_COMM_WORLD, &sums_));
    require_mpi(::MPI_Comm_dup(MPI_COMM_WORLD, &shutdown_));
    if (rank == 0) peers_.front().is_lost = true;  // Rank 0 itself.
    heartbeat_ = std::jthread([this](const std::stop_token& stop) { send_heartbeats(stop); });
  }
  MpiLinks(const MpiLinks&) = delete;
  MpiLinks& operator=(const MpiLinks&) = delete;
  ~MpiLinks() override {
    heartbeat_.request_stop();
    heartbeat_.join();
    if (all_ready_to_finalize()) ::MPI_Finalize();
  }

  void send(int to, const Frame& frame, const std::stop_token& stop) override {
    const MpiTime begun = std::chrono::steady_clock::now();
    const auto message = begin_send(to, encode_frame(frame), true);
    for (;;) {
      {
        const std::lock_guard lock(mutex_);
        collect();
        if (is_done(*message)) {
          outgoing_.erase(message);
          return;
        }
        message->is_awaited = !stop.stop_requested() && !peer(to).is_lost;
        if (!message->is_awaited) break;
      }
      pause_after(begun);
    }
    if (stop.stop_requested()) throw Cancelled();
  }

  void try_send(int to, const Frame& frame) noexcept override {
    try {
      static_cast<void>(begin_send(to, encode_frame(frame), false));
    } catch (const std::exception&) {
      return;  // The missing heartbeats will report it.
    }
  }

  std::optional<Incoming> receive(milliseconds longest) override {
    const MpiTime begun = std::chrono::steady_clock::now();
    for (;;) {
      {
        const std::lock_guard lock(mutex_);
        collect();
        if (!inbox_.empty()) {
          Incoming incoming = std::move(inbox_.front());
          inbox_.pop_front();
          return incoming;
        }
      }
      if (std::chrono::steady_clock::now() - begun >= longest) return std::nullopt;
      pause_after(begun);
    }
  }

  /// Sums in memory of this object, since MPI may still write to it after the caller has given up.
  void begin_sum(std::span<const float> values) {
    const std::lock_guard lock(mutex_);
    sum_.assign(values.begin(), values.end());
    is_summing_ = true;
    require_mpi(::MPI_Iallreduce(MPI_IN_PLACE, sum_.data(), static_cast<int>(sum_.size()),
                                 MPI_FLOAT, MPI_SUM, sums_, &sum_request_));
  }
  [[nodiscard]] bool is_sum_done() {
    const std::lock_guard lock(mutex_);
    int is_done = 0;
    require_mpi(::MPI_Test(&sum_request_, &is_done, MPI_STATUS_IGNORE));
    is_summing_ = is_done == 0;
    return is_done != 0;
  }
  [[nodiscard]] std::span<const float> sum() const { return sum_; }

 private:
  struct Outgoing {
    std::string bytes;
    MPI_Request request = MPI_REQUEST_NULL;
    bool is_awaited = false;
  };
  struct PeerState {
    bool is_heard = true;
    bool is_lost = false;
    int silent = 0;
  };

  [[nodiscard]] PeerState& peer(int rank) { return peers_.at(static_cast<std::size_t>(rank)); }

  std::list<Outgoing>::iterator begin_send(int to, std::string bytes, bool is_awaited) {
    const std::lock_guard lock(mutex_);
    return begin_send_locked(to, std::move(bytes), is_awaited);
  }
  std::list<Outgoing>::iterator begin_send_locked(int to, std::string bytes, bool is_awaited) {
    outgoing_.push_back({.bytes = std::move(bytes), .is_awaited = is_awaited});
    Outgoing& message = outgoing_.back();
    require_mpi(::MPI_Isend(message.bytes.data(), static_cast<int>(message.bytes.size()), MPI_BYTE,
                            to, kTag, messages_, &message.request));
    return std::prev(outgoing_.end());
  }
  static bool is_done(Outgoing& message) {
    int is_done = 0;
    require_mpi(::MPI_Test(&message.request, &is_done, MPI_STATUS_IGNORE));
    return is_done != 0;
  }

  void collect() {
    for (;;) {
      int is_there = 0;
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status;
      require_mpi(::MPI_Improbe(MPI_ANY_SOURCE, kTag, messages_, &is_there, &message, &status));
      if (is_there == 0) break;
      take(message, status);
    }
    std::erase_if(outgoing_, [](Outgoing& one) { return !one.is_awaited && is_done(one); });
  }

  void take(MPI_Message message, MPI_Status& status) {
    int count = 0;
    require_mpi(::MPI_Get_count(&status, MPI_BYTE, &count));
    std::string bytes(static_cast<std::size_t>(count), '\0');
    require_mpi(::MPI_Mrecv(bytes.data(), count, MPI_BYTE, &message, MPI_STATUS_IGNORE));
    peer(status.MPI_SOURCE).is_heard = true;
    std::size_t ignored = 0;
    if (auto frame = decode_frame(bytes, ignored)) {
      is_any_lost_ = is_any_lost_ || frame->kind == FrameKind::lost;
      inbox_.push_back({status.MPI_SOURCE, *std::move(frame)});
    }
  }

  void send_heartbeats(const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any stopped;
    while (!stopped.wait_for(lock, stop, kHeartbeat, [&] { return stop.stop_requested(); })) {
      try {
        const std::scoped_lock both(fork_mutex(), mutex_);
        collect();
        for (std::size_t i = 0; i < peers_.size(); ++i) send_heartbeat(static_cast<int>(i));
      } catch (const Error&) {
        return;  // The others will miss this rank's heartbeats.
      }
    }
  }

  void send_heartbeat(int rank) {
    PeerState& peer = this->peer(rank);
    if (peer.is_lost) return;
    peer.silent = std::exchange(peer.is_heard, false) ? 0 : peer.silent + 1;
    if (peer.silent < kMostSilence) {
      static_cast<void>(begin_send_locked(rank, {}, false));
      return;
    }
    peer.is_lost = is_any_lost_ = true;
    inbox_.push_back(
        {rank,
         {.kind = FrameKind::ended,
          .payload = fmt::format("sent no heartbeat for {} s: it was killed, its node is "
                                 "gone, or it hangs",
                                 kMostSilence)}});
  }

  // Waits until all ranks reach this call. Returns false if one does not, or has an unfinished sum.
  // A launcher may kill all ranks as soon as one finalizes without the others.
  bool all_ready_to_finalize() {
    if (is_any_lost_) return false;
    const MpiTime begun = std::chrono::steady_clock::now();
    static int is_well;  // Static: MPI may write to it after this call.
    is_well = is_summing_ ? 0 : 1;
    MPI_Request request = MPI_REQUEST_NULL;
    if (::MPI_Iallreduce(MPI_IN_PLACE, &is_well, 1, MPI_INT, MPI_MIN, shutdown_, &request) !=
        MPI_SUCCESS) {
      return false;
    }
    while (std::chrono::steady_clock::now() - begun < kShutdownTimeout) {
      int is_done = 0;
      if (::MPI_Test(&request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
      if (is_done != 0) return is_well != 0;
      pause_after(begun);
    }
    return false;
  }

  MPI_Comm messages_ = MPI_COMM_NULL;
  MPI_Comm sums_ = MPI_COMM_NULL;
  MPI_Comm shutdown_ = MPI_COMM_NULL;

  std::mutex mutex_;  // Guards MPI and all members below.
  std::vector<PeerState> peers_;
  std::list<Outgoing> outgoing_;
  std::deque<Incoming> inbox_;
  std::vector<float> sum_;
  MPI_Request sum_request_ = MPI_REQUEST_NULL;
  bool is_summing_ = false;
  bool is_any_lost_ = false;

  std::jthread heartbeat_;
};

class MpiGroup final : public StarGroup {
 public:
  static std::unique_ptr<MpiGroup> make(const Launch& launch, const std::stop_token& stop) {
    auto links = std::make_unique<MpiLinks>(launch.rank, launch.size);
    MpiLinks& own = *links;
    return std::unique_ptr<MpiGroup>(new MpiGroup(launch, std::move(links), own, stop));
  }

  [[nodiscard]] std::string data_path() const override { return library_version(); }

  void all_reduce(std::span<float> values, const std::stop_token& stop) override {
    while (!values.empty()) {
      const std::span<float> part = values.first(std::min(values.size(), kMostNumbersAtOnce));
      links_.begin_sum(part);
      while (!links_.is_sum_done()) {
        check();
        if (stop.stop_requested()) throw Cancelled();
        std::this_thread::yield();
      }
      std::ranges::copy(links_.sum(), part.begin());
      values = values.subspan(part.size());
    }
  }

 private:
  MpiGroup(const Launch& launch, std::unique_ptr<Links> links, MpiLinks& own,
           const std::stop_token& stop)
      : StarGroup(launch, std::move(links), stop), links_(own) {}

  MpiLinks& links_;  // The object that StarGroup owns.
};

bool was_started_by_mpi(const Launch& launch) {
  const bool has_pmi = environment_variable("PMIX_RANK") || environment_variable("PMI_RANK") ||
                       environment_variable("PMI_FD");
  switch (launch.launcher) {
    case Launcher::open_mpi:
    case Launcher::hydra:
    case Launcher::pmi:
      return true;
    case Launcher::slurm:  // Without --mpi=pmix or pmi2, MPI_Init_thread() ends the program.
      return has_pmi;
    default:
      return false;
  }
}

// Initializes MPI. Returns the problem; empty if MPI and the launcher report the same rank.
std::string initialize_mpi(const Launch& launch) {
  int provided = 0;
  int is_initialized = 0;
  ::MPI_Initialized(&is_initialized);
  if (is_initialized != 0) return "MPI is already initialized in this process";
  if (::MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) {
    return "MPI_Init_thread() failed";
  }
  if (provided < MPI_THREAD_SERIALIZED) return library_version() + " allows only one thread";
  ::MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int rank = -1;
  int size = -1;
  ::MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ::MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == launch.rank && size == launch.size) return "";
  return fmt::format("{} reports this process as rank {} of {}; it is not the MPI of its launcher",
                     library_version(), rank, size);
}

}  // namespace

std::unique_ptr<RankGroup> join_mpi_group(const Launch& launch, const std::stop_token& stop,
                                          std::string& why_not) {
  if (!was_started_by_mpi(launch)) {
    why_not = fmt::format("{} does not start its ranks with MPI{}", to_string(launch.launcher),
                          launch.launcher == Launcher::slurm ? " without --mpi=pmix" : "");
    return nullptr;
  }
  why_not = initialize_mpi(launch);
  return why_not.empty() ? MpiGroup::make(launch, stop) : nullptr;
}

}  // namespace feedrate
