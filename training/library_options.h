// SPDX-License-Identifier: Apache-2.0
// The options by which libraries that make DataLoaders name DataLoader's arguments. Pure; any
// thread.
#pragma once
#include <string>
#include <string_view>

namespace feedrate {

struct LibraryOptions {
  const char* package;  ///< its top-level Python module
  const char* form;     ///< where the options belong: "TrainingArguments({})"
  const char* num_workers;
  const char* prefetch_factor;  ///< empty: the library has no option for it
  const char* pin_memory;
  const char* persistent_workers;
  const char* multiprocessing_context;

  /// The library's name of an argument of DataLoader; empty if it has none.
  [[nodiscard]] std::string name_of(std::string_view argument) const;
};

/// Null if the library is not known.
[[nodiscard]] const LibraryOptions* find_library_options(std::string_view package);

}  // namespace feedrate
