// SPDX-License-Identifier: Apache-2.0
// make_seeds FOLDER: writes the seeds of each target to FOLDER/<target>/, for libFuzzer.
#include <cstdio>
#include <exception>
#include <filesystem>

#include "core/host/file.h"
#include "tests/fuzz/seeds.h"
#include "tests/fuzz/targets.h"

namespace feedrate::fuzz {
namespace {

namespace fs = std::filesystem;

void write_seeds(const fs::path& folder, std::string_view target) {
  fs::create_directories(folder);
  for (const Seed& seed : seeds_of(target)) {
    fs::remove(folder / seed.name);
    write_new_file((folder / seed.name).string(), seed.bytes);
  }
}

int run(int count, char** arguments) {
  if (count != 2) {
    std::fputs("make_seeds: expected one argument; pass the output folder\n", stderr);
    return 2;
  }
  for (const Target& target : kTargets) {
    write_seeds(fs::path(arguments[1]) / target.name, target.name);
  }
  return 0;
}

}  // namespace
}  // namespace feedrate::fuzz

int main(int count, char** arguments) {
  try {
    return feedrate::fuzz::run(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_seeds: %s\n", error.what());
    return 1;
  }
}
