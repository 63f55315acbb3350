// Makes JSON of what is almost JSON, as exporters of traces wrote it. A pure function; any thread.
#pragma once
#include <string>
#include <string_view>

namespace feedrate {

/// Bare words that JSON does not know (N/A, NaN, Infinity) become null; quotes within texts and
/// wrong escapes get their backslash; control characters become blanks, and bytes that are not
/// UTF-8 '?'; stray commas go, missing values become null. What was JSON keeps its meaning. Whether
/// the rest is JSON then is for a parser to say.
[[nodiscard]] std::string repaired_json(std::string_view text);

}  // namespace feedrate
