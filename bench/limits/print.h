// The limits as tables for people. One thread.
#pragma once
#include <iosfwd>

#include "bench/limits/limit.h"

namespace feedrate {

/// A table a topic; at the end what one petabyte would take.
void print_limits(std::ostream& out, const Limits& limits);

}  // namespace feedrate
