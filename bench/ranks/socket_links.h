// SPDX-License-Identifier: Apache-2.0
// Connections between the ranks of one node by Unix sockets. One thread per object.
#pragma once
#include <vector>

#include "bench/ranks/links.h"
#include "core/unique_fd.h"

namespace feedrate {

class SocketLinks final : public Links {
 public:
  /// On rank 0, the sockets to rank 1, 2, …; on any other rank, the one to rank 0.
  SocketLinks(int rank, std::vector<UniqueFd> sockets);

  void send(int to, const Frame& frame, const std::stop_token& stop) override;
  void try_send(int to, const Frame& frame) noexcept override;
  [[nodiscard]] std::optional<Incoming> receive(std::chrono::milliseconds longest) override;

 private:
  struct Peer {
    int rank = 0;
    UniqueFd fd;
    std::string unread = {};
  };

  [[nodiscard]] Peer& peer(int rank);
  [[nodiscard]] std::optional<Incoming> take_unread();
  [[nodiscard]] bool wait(std::chrono::steady_clock::time_point until);
  /// Returns false at the end of the connection, when everything sent before has been read.
  [[nodiscard]] bool read_some(Peer& peer);

  std::vector<Peer> peers_;
  std::vector<char> buffer_;
};

}  // namespace feedrate
