// SPDX-License-Identifier: Apache-2.0
// Seeds of the targets. Writers make the files of binary formats, so that the repository has no
// opaque bytes. Texts, and inputs that were findings, are in corpus/<target>. Any thread.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace feedrate::fuzz {

struct Seed {
  std::string name;
  std::string bytes;
};

/// All seeds of a target (targets.h), with unique names. Throws Error if one cannot be made.
[[nodiscard]] std::vector<Seed> seeds_of(std::string_view target);

}  // namespace feedrate::fuzz
