// SPDX-License-Identifier: Apache-2.0
// A job that shows its progress on stderr, for the data commands.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "core/host/console.h"
#include "core/host/progress.h"
#include "formats/datasets/job.h"

namespace feedrate {

/// The progress bar disappears with the last copy of the job; destroy it before printing. `console`
/// must outlive it.
[[nodiscard]] inline Job console_job(Console& console, unsigned threads = 0) {
  const auto progress = std::make_shared<std::optional<Progress>>();
  return {.threads = threads,
          .stop = console.stop,
          .on_start =
              [&console, progress](std::string_view action, std::size_t total) {
                progress->emplace(console, std::string(action), total);
              },
          .on_advance = [progress](std::size_t count) { (*progress)->advance(count); }};
}

}  // namespace feedrate
