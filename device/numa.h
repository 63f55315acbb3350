// SPDX-License-Identifier: Apache-2.0
// Where the pages of memory lie on a machine with several NUMA nodes. Any thread. The kernel's own
// calls, without libnuma; where they are not allowed (containers), memory lies where it falls.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace feedrate {

/// Nodes that have memory; 1 where the kernel does not say.
[[nodiscard]] int numa_nodes();

/// The node of a PCI device ("0000:3B:00.0"), as the kernel's files say; nothing where they do not.
[[nodiscard]] std::optional<int> numa_node_of_pci(std::string_view bus_id);

/// How many numbers a list as "0-1,4" names; 0 if it is none.
[[nodiscard]] int count_listed(std::string_view list);

/// Asks that the pages of this range, not touched yet, come from `node`. `data` begins a page.
void prefer_node(std::byte* data, std::size_t size, int node);

/// While it lives, pages that its thread touches first come from `node`, if one is given.
class PreferredNode {
 public:
  explicit PreferredNode(std::optional<int> node);
  PreferredNode(const PreferredNode&) = delete;
  PreferredNode& operator=(const PreferredNode&) = delete;
  ~PreferredNode();

 private:
  struct Policy;
  std::unique_ptr<Policy> before_;  // Null where nothing was changed.
};

}  // namespace feedrate
