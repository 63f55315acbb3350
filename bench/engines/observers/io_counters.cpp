// SPDX-License-Identifier: Apache-2.0
#include "core/host/io_counters.h"

#include <unistd.h>

#include "bench/engines/observers/each.h"
#include "core/host/open_count.h"
#include "formats/remote/object_client.h"

namespace feedrate {
namespace {

struct IoCounts {
  std::optional<std::uint64_t> from_storage = {};
  std::optional<std::uint64_t> by_calls = {};
  std::optional<std::uint64_t> opened = {};
  std::optional<std::uint64_t> requests = {};
  std::optional<std::uint64_t> repeated = {};
};

class IoCounters final : public StartObserver {
 public:
  explicit IoCounters(pid_t process) : process_(process) {}

  void before_loader() override { before_ = count(); }

  void after_loader(StartReport& report) override {
    const IoCounts after = count();
    const auto add_growth = [&](const char* tag, std::optional<std::uint64_t> IoCounts::*which) {
      if (!(before_.*which) || !(after.*which)) return;
      report.add(tag, static_cast<double>(*(after.*which) - *(before_.*which)));
    };
    add_growth("storage_read_bytes", &IoCounts::from_storage);
    add_growth("called_read_bytes", &IoCounts::by_calls);
    add_growth("files_opened", &IoCounts::opened);
    if (after.requests == before_.requests) return;
    add_growth("server_requests", &IoCounts::requests);
    add_growth("server_requests_repeated", &IoCounts::repeated);
  }

 private:
  [[nodiscard]] IoCounts count() const {
    IoCounts counts{.from_storage = storage_read_bytes_of(process_),
                    .by_calls = called_read_bytes_of(process_)};
    if (process_ != ::getpid()) return counts;
    const RemoteRequests remote = remote_requests();
    counts.opened = opened_files();
    counts.requests = remote.sent;
    counts.repeated = remote.repeated;
    return counts;
  }

  const pid_t process_;
  IoCounts before_;
};

}  // namespace

std::unique_ptr<StartObserver> make_io_counters_observer(const StartContext& start) {
  return std::make_unique<IoCounters>(start.process);
}

}  // namespace feedrate
