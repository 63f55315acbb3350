// SPDX-License-Identifier: Apache-2.0
// The ranks that measure a cell together, for the one that leads: they are started for each start
// of a loader, or a launcher has started them all. One thread.
#pragma once
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "bench/engines/ranked/messages.h"
#include "bench/engines/ranked/rank.h"
#include "bench/ranks/group.h"
#include "core/clock.h"

namespace feedrate {

class RankLauncher {
 public:
  virtual ~RankLauncher() = default;
  /// Each rank's answer, by rank. Throws Error where a rank was lost, and says which and why;
  /// Cancelled once `stop` is requested.
  [[nodiscard]] virtual std::vector<RankReport> measure(const RankRequest& order, std::size_t ranks,
                                                        const std::stop_token& stop) = 0;
};

/// Starts processes of this program for each start of a loader, so that nothing of a rank that was
/// killed, hung or has leaked is there in the next one, and cells may differ in their ranks.
[[nodiscard]] std::shared_ptr<RankLauncher> make_spawn_rank_launcher();

/// The main program of such a process: the order is in `folder`, the answer is written there.
/// Returns its exit code.
[[nodiscard]] int run_spawned_rank(const std::string& folder, const std::stop_token& stop);

/// Those that a launcher started, this one being rank 0. Once one of them is lost all is over:
/// `on_broken` is called, with what is to be told of it, and every further cell fails.
class JobRankLauncher final : public RankLauncher {
 public:
  /// All other ranks call follow() at the same time. `stop` is the program's; both outlive it.
  JobRankLauncher(RankGroup& group, Clock& clock, const std::stop_token& stop);
  /// Sends the others home.
  ~JobRankLauncher() override;

  /// Of this node, that its ranks may run on, all together.
  [[nodiscard]] std::size_t cpus() const { return own_.cpus_of_node(); }
  void set_on_broken(std::function<void()> on_broken) { on_broken_ = std::move(on_broken); }
  [[nodiscard]] std::vector<RankReport> measure(const RankRequest& order, std::size_t ranks,
                                                const std::stop_token& stop) override;

 private:
  std::vector<RankReport> order_all(const RankRequest& order);
  void end(const char* why);

  RankGroup& group_;
  const std::stop_token stop_;
  Rank own_;
  bool is_broken_ = false;
  std::function<void()> on_broken_;
};

/// Does what the leader says until it says that it is over. Throws RankLost, Cancelled.
void follow(RankGroup& group, Clock& clock, const std::stop_token& stop);

/// What a rank says that goes because its user or its batch system has stopped it.
inline constexpr const char* kInterrupted = "interrupted";

}  // namespace feedrate
