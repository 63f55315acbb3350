// SPDX-License-Identifier: Apache-2.0
// What a target's corpus begins with. Files of binary formats are made here by the writers there
// are, so that no opaque bytes lie in the repository; texts, and inputs that once were findings,
// lie in corpus/<target>. Any thread.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace feedrate::fuzz {

struct Seed {
  std::string name;
  std::string bytes;
};

/// All of a target (targets.h), each of a name of its own. Throws Error where one cannot be made.
[[nodiscard]] std::vector<Seed> seeds_of(std::string_view target);

}  // namespace feedrate::fuzz
