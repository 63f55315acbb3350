// The ranks in a circle, each connected to the next: how all_reduce() moves its data. One thread.
#pragma once
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/unique_fd.h"
#include "ranks/exchange.h"
#include "ranks/socket.h"

namespace feedrate {

class Ring {
 public:
  /// Collective: all ranks make one. `own` is where this rank listens, `secret` the job's. Throws
  /// as collectives do.
  Ring(int rank, int size, Exchange& exchange, const Endpoint& own, const std::string& secret,
       const std::stop_token& stop);

  /// The sum over the ranks, on all. In 2 (size - 1) turns a rank sends a part of the numbers to
  /// the next, and takes another from the one before: Patarasu and Yuan, "Bandwidth optimal
  /// all-reduce algorithms for clusters of workstations", 2009.
  void all_reduce(std::span<float> values, const std::stop_token& stop);

 private:
  [[nodiscard]] std::span<float> part(std::span<float> values, int index) const;
  void require_same_size(std::size_t count, const std::stop_token& stop);
  /// Sends and receives at the same time, so that no buffer's size decides whether it ends.
  void exchange_bytes(std::span<const std::byte> out, std::span<std::byte> in,
                      const std::stop_token& stop);
  [[nodiscard]] int wrap(int rank) const { return (rank % size_ + size_) % size_; }

  int rank_;
  int size_;
  Exchange& exchange_;
  UniqueFd next_;
  UniqueFd previous_;
  std::vector<float> received_;
};

}  // namespace feedrate
