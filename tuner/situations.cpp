#include "tuner/situations.h"

#include <algorithm>
#include <array>

#include "report/cell_text.h"

namespace feedrate {
namespace {

// Nobody chooses these to have a loader keep up.
constexpr std::array<const char*, 21> kGiven{"engine",
                                             "emulate",
                                             "device",
                                             "cache",
                                             "trainer",
                                             "step_ms",
                                             "steps_ms",
                                             "shapes",
                                             "model",
                                             "precision",
                                             "cuda_graph",
                                             "reference_batch",
                                             "host_overhead_us",
                                             "memory_intensity",
                                             "sync_every",
                                             "disturbance_readers",
                                             "disturbance_read_bytes",
                                             "disturbance_metadata",
                                             "ranks",
                                             "ranks_per_node",
                                             "all_reduce_bytes"};

std::string situation_of(const FittedWork& work) {
  std::string words;
  for (const char* const name : kGiven) words += text_of(work.settings(), name) + '\n';
  return words;
}

// The given settings that are not the same in the whole run. Empty is a value here, too: as it is,
// without emulate.
std::vector<std::string> telling_settings(std::span<const FittedWork> works) {
  std::vector<std::string> names;
  for (const char* const name : kGiven) {
    const bool is_telling = std::any_of(works.begin(), works.end(), [&](const FittedWork& work) {
      return text_of(work.settings(), name) != text_of(works.front().settings(), name);
    });
    if (is_telling) names.emplace_back(name);
  }
  return names;
}

}  // namespace

std::vector<SituatedWorks> situate(std::span<const FittedWork> works) {
  const std::vector<std::string> telling = telling_settings(works);
  std::vector<SituatedWorks> situations;
  std::vector<std::string> known;  // By the words of their settings.
  for (const FittedWork& work : works) {
    const auto found = std::find(known.begin(), known.end(), situation_of(work));
    if (found != known.end()) {
      situations[static_cast<std::size_t>(found - known.begin())].works.push_back(&work);
      continue;
    }
    known.push_back(situation_of(work));
    situations.push_back({describe(*work.cells.front(), telling), {&work}});
  }
  return situations;
}

}  // namespace feedrate
