// SPDX-License-Identifier: Apache-2.0
// Places pages on a machine with several NUMA nodes, by system calls instead of libnuma. Where they
// are not allowed (containers), the kernel chooses the node. Safe from any thread.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace feedrate {

/// The number of nodes that have memory; 1 if the kernel does not report it.
[[nodiscard]] int numa_nodes();

/// The node of a PCI device ("0000:3B:00.0"); nothing if the kernel does not report it.
[[nodiscard]] std::optional<int> numa_node_of_pci(std::string_view bus_id);

/// While this object lives, pages that its thread touches first come from `node`, if one is given.
class PreferredNode {
 public:
  explicit PreferredNode(std::optional<int> node);
  PreferredNode(const PreferredNode&) = delete;
  PreferredNode& operator=(const PreferredNode&) = delete;
  ~PreferredNode();

 private:
  struct Policy;
  std::unique_ptr<Policy> before_;  // Null if nothing was changed.
};

}  // namespace feedrate
