// SPDX-License-Identifier: Apache-2.0
#include "core/host/page_cache.h"

#include "bench/engines/cache_state.h"
#include "bench/engines/observers/each.h"

namespace feedrate {
namespace {

class PageCacheShares final : public StartObserver {
 public:
  PageCacheShares(CacheState asked, std::vector<std::filesystem::path> files)
      : asked_(asked), files_(std::move(files)) {}

  void before_loader() override { before_ = resident_share(files_); }
  void device_idle() override { after_ = resident_share(files_); }

  void after_loader(StartReport& report) override {
    if (files_.empty()) return;
    report.add("cached_before", before_);
    report.add("cached_after", after_);
    std::string warning = warning_about(asked_, before_);
    if (!warning.empty()) report.warnings.push_back(std::move(warning));
  }

 private:
  const CacheState asked_;
  const std::vector<std::filesystem::path> files_;
  double before_ = 0.0;
  double after_ = 0.0;
};

}  // namespace

std::unique_ptr<StartObserver> make_page_cache_observer(const StartContext& start) {
  return std::make_unique<PageCacheShares>(start.cell.cache, start.files);
}

}  // namespace feedrate
