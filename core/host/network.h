// SPDX-License-Identifier: Apache-2.0
// The traffic of this machine's network interfaces. Any thread.
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

/// Returns the interfaces that have hardware, since bonds and bridges count the same bytes again;
/// if none has, as in a container, all except the loopback. RDMA traffic is not counted.
[[nodiscard]] std::vector<NetworkInterface> read_network(const std::filesystem::path& root = "/");

/// Returns bytes a second each way; nothing if the link does not report it, as virtual ones.
[[nodiscard]] std::optional<double> link_speed(const std::string& interface,
                                               const std::filesystem::path& root = "/");

}  // namespace feedrate
