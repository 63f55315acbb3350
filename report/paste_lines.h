// The lines of Python that use a cell's settings. Pure functions of a cell; any thread.
#pragma once
#include <string>

#include "report/result.h"

namespace feedrate {

/// The lines of Python that use these settings: DataLoader(…) and .to(…); without the one whose
/// part was played by a mock.
[[nodiscard]] std::string paste_ready(const CellResult& cell);

}  // namespace feedrate
