// SPDX-License-Identifier: Apache-2.0
#include "engines/observers/io_counters.h"

#include <unistd.h>

#include "host/io_counters.h"
#include "host/open_count.h"

namespace feedrate {
namespace {

struct IoCounts {
  std::optional<std::uint64_t> from_storage;
  std::optional<std::uint64_t> by_calls;
  std::optional<std::uint64_t> opened;
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
  }

 private:
  [[nodiscard]] IoCounts count() const {
    return {storage_read_bytes_of(process_), called_read_bytes_of(process_),
            process_ == ::getpid() ? std::optional(opened_files()) : std::nullopt};
  }

  const pid_t process_;
  IoCounts before_;
};

}  // namespace

std::unique_ptr<StartObserver> make_io_counters_observer(const StartContext& start) {
  return std::make_unique<IoCounters>(start.process);
}

}  // namespace feedrate
