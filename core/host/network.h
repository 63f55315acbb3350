// SPDX-License-Identifier: Apache-2.0
// What went over this machine's network interfaces: take the difference of two calls. Any thread.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace feedrate {

struct NetworkInterface {
  std::string name;
  std::uint64_t received = 0;  ///< bytes since the machine started, of all processes
  std::uint64_t sent = 0;
  friend bool operator==(const NetworkInterface&, const NetworkInterface&) = default;
};

/// Those with hardware behind them, as bonds and bridges would count the same bytes again; where
/// none has any, as in a container, all but the loopback. RDMA passes them by.
[[nodiscard]] std::vector<NetworkInterface> read_network(const std::filesystem::path& root = "/");

/// In bytes a second each way; nothing where the link does not tell, as virtual ones do not.
[[nodiscard]] std::optional<double> link_speed(const std::string& interface,
                                               const std::filesystem::path& root = "/");

}  // namespace feedrate
