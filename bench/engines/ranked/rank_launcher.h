// SPDX-License-Identifier: Apache-2.0
// The leader's access to the ranks that measure a cell together: either it starts them for each
// start of a loader, or a launcher has started them. One thread.
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
  /// Returns each rank's report, by rank. Throws Error that names the lost rank and the reason, and
  /// Cancelled once `stop` is requested.
  [[nodiscard]] virtual std::vector<RankReport> measure(const RankRequest& request,
                                                        std::size_t ranks,
                                                        const std::stop_token& stop) = 0;
};

/// Starts processes of this program for each start of a loader. So a rank that was killed, hung or
/// leaked cannot affect the next start, and cells may differ in their number of ranks.
[[nodiscard]] std::shared_ptr<RankLauncher> make_spawn_rank_launcher();

/// The main program of such a process: it reads the request from `folder`, writes its report there
/// and returns the exit code.
[[nodiscard]] int run_spawned_rank(const std::string& folder, const std::stop_token& stop);

/// Ranks that a launcher started; this process is rank 0. Once a rank is lost, `on_broken` is
/// called and every further cell fails.
class JobRankLauncher final : public RankLauncher {
 public:
  /// All other ranks call follow() at the same time. `stop` is the program's; both outlive it.
  JobRankLauncher(RankGroup& group, Clock& clock, const std::stop_token& stop);
  /// Ends follow() in the other ranks.
  ~JobRankLauncher() override;

  /// Number of CPUs that the ranks of this node may run on, all together.
  [[nodiscard]] std::size_t cpus() const { return own_.cpus_of_node(); }
  void set_on_broken(std::function<void()> on_broken) { on_broken_ = std::move(on_broken); }
  [[nodiscard]] std::vector<RankReport> measure(const RankRequest& request, std::size_t ranks,
                                                const std::stop_token& stop) override;

 private:
  std::vector<RankReport> request_all(const RankRequest& request);
  void end(const char* why);

  RankGroup& group_;
  const std::stop_token stop_;
  Rank own_;
  bool is_broken_ = false;
  std::function<void()> on_broken_;
};

/// Serves the leader's requests until it ends the job. Throws RankLost, Cancelled.
void follow(RankGroup& group, Clock& clock, const std::stop_token& stop);

/// The reason of a rank that leaves because its user or its batch system stopped it.
inline constexpr const char* kInterrupted = "interrupted";

}  // namespace feedrate
