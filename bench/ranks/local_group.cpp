// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "bench/ranks/join.h"
#include "bench/ranks/meeting.h"
#include "bench/ranks/shared_sum.h"
#include "bench/ranks/socket_links.h"
#include "bench/ranks/star_group.h"
#include "core/error.h"

namespace feedrate {
namespace {

class LocalGroup final : public StarGroup {
 public:
  LocalGroup(const Launch& launch, std::vector<UniqueFd> sockets, const std::stop_token& stop)
      : StarGroup(launch, std::make_unique<SocketLinks>(launch.rank, std::move(sockets)), stop) {}

  [[nodiscard]] std::string data_path() const override { return "shared memory"; }

  void all_reduce(std::span<float> values, const std::stop_token& stop) override {
    if (!memory_) share_memory(stop);
    do {
      const std::size_t count = std::min(values.size(), SumMemory::kMostNumbers);
      memory_->give(values.first(count));
      meet_for_sum(values.size(), stop);
      memory_->add_own_part(count);
      meet_for_sum(values.size(), stop);
      memory_->take(values.first(count));
      values = values.subspan(count);
    } while (!values.empty());
  }

 private:
  void share_memory(const std::stop_token& stop) {
    try {
      if (rank() == 0) memory_.emplace(rank(), size());
      const std::string path = broadcast(rank() == 0 ? memory_->path() : "", 0, stop);
      if (rank() != 0) memory_.emplace(rank(), size(), path);
      barrier(stop);
    } catch (const SystemError& error) {
      leave(error.what());
      throw;
    }
  }

  std::optional<SumMemory> memory_;  // Created by the first sum.
};

}  // namespace

std::unique_ptr<RankGroup> join_local_group(const Launch& launch, const LocalGroupOptions& options,
                                            const std::stop_token& stop) {
  std::vector<UniqueFd> sockets = launch.launcher == Launcher::own
                                      ? inherited_sockets(launch)
                                      : meet_on_node(launch, options, stop);
  return std::make_unique<LocalGroup>(launch, std::move(sockets), stop);
}

}  // namespace feedrate
