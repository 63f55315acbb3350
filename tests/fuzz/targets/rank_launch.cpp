// SPDX-License-Identifier: Apache-2.0
// The environment of a rank, one variable per line: it is a valid rank or is rejected.
#include <map>

#include "bench/ranks/launch.h"
#include "core/host/text_file.h"
#include "tests/fuzz/harness.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {

bool rank_launch(Bytes input) {
  std::map<std::string, std::string> variables;
  for (const std::string_view line : split_lines(text_of(input))) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  const auto lookup = [&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
  Launch launch;
  if (!accepts([&] { launch = read_launch(lookup, "host"); })) return false;
  const bool is_rank = launch.rank >= 0 && launch.rank < launch.size && launch.local_rank >= 0 &&
                       launch.local_rank < launch.local_size && launch.local_size <= launch.size;
  if (!is_rank) finding("a rank is out of range");
  if (launch.job.find('/') != std::string::npos) finding("a job contains a path");
  touch(launch.node);
  return launch.launcher != Launcher::none;
}

}  // namespace feedrate::fuzz
