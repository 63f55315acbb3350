// SPDX-License-Identifier: Apache-2.0
#include "bench/ranks/group.h"

#include <utility>

#include <fmt/format.h>

namespace feedrate {
namespace {

std::string describe(int rank, const std::string& node, const std::string& cause) {
  if (rank < 0) return cause;
  if (node.empty()) return fmt::format("rank {}: {}", rank, cause);
  return fmt::format("rank {} on node {}: {}", rank, node, cause);
}

class SingleGroup final : public RankGroup {
 public:
  explicit SingleGroup(std::string node) : locations_{{.local_rank = 0, .node = std::move(node)}} {}

  [[nodiscard]] int rank() const noexcept override { return 0; }
  [[nodiscard]] int size() const noexcept override { return 1; }
  [[nodiscard]] const std::vector<RankLocation>& locations() const noexcept override {
    return locations_;
  }
  [[nodiscard]] std::string data_path() const override { return "none"; }

  void barrier(const std::stop_token&) override {}
  std::vector<std::string> all_gather(std::string own, const std::stop_token&) override {
    return {std::move(own)};
  }
  std::vector<std::string> gather(std::string own, const std::stop_token&) override {
    return {std::move(own)};
  }
  std::string broadcast(std::string own, int, const std::stop_token&) override { return own; }
  bool agree(bool ok, const std::stop_token&) override { return ok; }
  void all_reduce(std::span<float>, const std::stop_token&) override {}
  void check() override {}
  void leave(std::string_view) noexcept override {}

 private:
  std::vector<RankLocation> locations_;
};

}  // namespace

RankLost::RankLost(int rank, std::string node, std::string cause)
    : Error(describe(rank, node, cause)),
      rank_(rank),
      node_(std::move(node)),
      cause_(std::move(cause)) {}

std::vector<std::string> gather_on_node(RankGroup& group, std::string own,
                                        const std::stop_token& stop) {
  std::vector<std::string> all = group.all_gather(std::move(own), stop);
  const std::string& node = group.locations().at(static_cast<std::size_t>(group.rank())).node;
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const RankLocation& location = group.locations().at(rank);
    if (location.node != node) continue;
    const auto local = static_cast<std::size_t>(location.local_rank);
    if (texts.size() <= local) texts.resize(local + 1);
    texts[local] = std::move(all[rank]);
  }
  return texts;
}

std::unique_ptr<RankGroup> make_single_group(std::string node) {
  return std::make_unique<SingleGroup>(std::move(node));
}

}  // namespace feedrate
