// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "bench/engines/ranked/rank_launcher.h"
#include "bench/ranks/join.h"
#include "bench/ranks/launch.h"
#include "bench/ranks/spawn.h"
#include "core/error.h"
#include "core/host/console.h"
#include "core/host/durable_file.h"
#include "core/host/processes.h"
#include "core/temporary_folder.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRequestFile = "request";
// The command of cli/options/rank_options.cpp.
constexpr const char* kCommand = "rank";

fs::path report_file(const fs::path& folder, int rank) {
  return folder / fmt::format("report-{}", rank);
}

class SpawnRankLauncher final : public RankLauncher {
 public:
  std::vector<RankReport> measure(const RankRequest& request, std::size_t ranks,
                                  const std::stop_token& stop) override {
    const TemporaryFolder folder(temporary_root() / "feedrate-ranks-");
    replace_file(folder.path() / kRequestFile, to_text(request));
    const auto count = static_cast<int>(ranks);
    const std::string failure =
        run_ranks(count, {own_program().string(), kCommand, folder.path().string()},
                  std::chrono::seconds(10), stop);
    if (stop.stop_requested()) throw Cancelled();
    if (!failure.empty()) throw Error(failure);
    std::vector<RankReport> reports;
    for (int rank = 0; rank < count; ++rank) {
      reports.push_back(report_from_text(read_whole_file(report_file(folder.path(), rank))));
    }
    return reports;
  }
};

}  // namespace

std::shared_ptr<RankLauncher> make_spawn_rank_launcher() {
  return std::make_shared<SpawnRankLauncher>();
}

// It prints no error that ends all ranks: the program that started them prints it once.
int run_spawned_rank(const std::string& folder, const std::stop_token& stop) try {
  const std::unique_ptr<RankGroup> group = join_group(read_launch(), stop);
  SteadyClock clock;
  Rank rank(*group, clock, stop);
  const RankReport report =
      rank.measure(request_from_text(read_whole_file(fs::path(folder) / kRequestFile)), stop);
  replace_file(report_file(folder, group->rank()), to_text(report));
  group->barrier(stop);  // A rank that exits earlier counts as lost.
  return kExitOk;
} catch (const RankLost&) {
  return kExitCellFailed;
} catch (const Cancelled&) {
  return kExitInterrupted;
}

}  // namespace feedrate
