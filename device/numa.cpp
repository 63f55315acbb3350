// SPDX-License-Identifier: Apache-2.0
#include "device/numa.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <climits>
#include <utility>

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/host/cpu_list.h"
#include "core/host/text_file.h"

namespace feedrate {
namespace {

constexpr std::size_t kMaxNodes = 1024;  // The kernel's largest configuration.
constexpr std::size_t kBitsPerWord = sizeof(unsigned long) * CHAR_BIT;
using NodeMask = std::array<unsigned long, kMaxNodes / kBitsPerWord>;

// The kernel expects the number of bits plus one.
constexpr unsigned long kMaskBits = kMaxNodes + 1;

std::optional<NodeMask> mask_of(int node) {
  const auto bit = static_cast<std::size_t>(node);
  if (node < 0 || bit >= kMaxNodes) return std::nullopt;
  NodeMask mask{};
  mask[bit / kBitsPerWord] = 1UL << (bit % kBitsPerWord);
  return mask;
}

}  // namespace

int numa_nodes() {
  return std::max(1, count_list(read_trimmed("/sys/devices/system/node/has_memory")));
}

std::optional<int> numa_node_of_pci(std::string_view bus_id) {
  std::string name(bus_id);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto node = parse_unsigned(read_trimmed("/sys/bus/pci/devices/" + name + "/numa_node"));
  return node && *node < kMaxNodes ? std::optional(static_cast<int>(*node)) : std::nullopt;
}

struct PreferredNode::Policy {
  int mode = MPOL_DEFAULT;
  NodeMask nodes{};
};

PreferredNode::PreferredNode(std::optional<int> node) {
  const auto mask = node ? mask_of(*node) : std::nullopt;
  if (!mask) return;
  auto before = std::make_unique<Policy>();
  if (syscall(SYS_get_mempolicy, &before->mode, before->nodes.data(), kMaskBits, nullptr, 0UL) !=
      0) {
    return;
  }
  if (syscall(SYS_set_mempolicy, MPOL_PREFERRED, mask->data(), kMaskBits) == 0) {
    before_ = std::move(before);
  }
}

PreferredNode::~PreferredNode() {
  if (!before_) return;
  // Cannot fail: these are the kernel's own values.
  static_cast<void>(syscall(SYS_set_mempolicy, before_->mode, before_->nodes.data(), kMaskBits));
}

}  // namespace feedrate
