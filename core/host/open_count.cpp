// SPDX-License-Identifier: Apache-2.0
#include "core/host/open_count.h"

#include "core/shared_count.h"

namespace feedrate {
namespace {

SharedCount& count() noexcept {
  static SharedCount files;
  return files;
}

}  // namespace

std::uint64_t opened_files() noexcept { return count().value(); }

void count_opened_file() noexcept { count().add(); }

}  // namespace feedrate
