// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/rescue.h"

#include <cstdlib>

#include <fmt/format.h>

#include "analysis/report/run_writer.h"
#include "core/clock.h"
#include "core/error.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

// mkdtemp(3) makes it private.
fs::path new_folder(const fs::path& place) {
  std::string name = (place / "feedrate-rescued-XXXXXX").string();
  return ::mkdtemp(name.data()) == nullptr ? fs::path() : fs::path(name);
}

bool can_write(const fs::path& folder, const RunResult& run) {
  try {
    const SteadyClock clock;
    RunWriter(folder, clock).write(run);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::vector<fs::path> rescue_places() {
  std::error_code error;
  std::vector<fs::path> places;
  for (const fs::path& place :
       {fs::current_path(error), fs::temp_directory_path(error), fs::path("/dev/shm")}) {
    if (!place.empty()) places.push_back(place);
  }
  return places;
}

fs::path rescue_run(const RunResult& run, std::span<const fs::path> places) {
  for (const fs::path& place : places) {
    const fs::path folder = new_folder(place);
    if (folder.empty()) continue;
    if (can_write(folder, run)) return folder;
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  return {};
}

std::string rescue_text(const fs::path& rescued) {
  if (rescued.empty())
    return "no other folder is writable either: the results are only printed above";
  return fmt::format("the results are saved in {0}; to continue: feedrate sweep --resume {0}",
                     rescued.string());
}

}  // namespace feedrate
