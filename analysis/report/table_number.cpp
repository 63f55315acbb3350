// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/table_number.h"

#include <cmath>
#include <regex>
#include <string>

#include "core/parse_number.h"
#include "core/quantity.h"

namespace feedrate {
namespace {

// Removes thousands separators from "5,307.5"; returns nothing for other commas.
std::optional<std::string> without_separators(const std::string& text) {
  if (text.find(',') == std::string::npos) return text;
  static const std::regex kThousands(R"(\d{1,3}(,\d{3})+(\.\d*)?([^\d,.].*)?)");
  if (!std::regex_match(text, kThousands)) return std::nullopt;
  std::string plain = text;
  std::erase(plain, ',');
  return plain;
}

double part_of(const std::smatch& match, std::size_t part) {
  return match[part].matched ? std::stod(match[part].str()) : 0.0;
}

// Parses the formats of clocks and the shell's `time`.
std::optional<double> clock_time(const std::string& text) {
  static const std::regex kColons(R"((?:(\d{1,4}):)?(\d{1,4}):(\d{1,2}(?:\.\d+)?))");
  static const std::regex kUnits(
      R"((?:(\d{1,6})\s*h\s*)?(?:(\d{1,6}(?:\.\d+)?)\s*m(?:in)?\s*)?(?:(\d{1,9}(?:\.\d+)?)\s*s(?:ec(?:onds?)?)?)?)");
  std::smatch match;
  if (text.empty() ||
      !(std::regex_match(text, match, kColons) || std::regex_match(text, match, kUnits))) {
    return std::nullopt;
  }
  return 3600.0 * part_of(match, 1) + 60.0 * part_of(match, 2) + part_of(match, 3);
}

// Parses a rate of samples; batches or iterations per second are another rate.
std::optional<double> rate(const std::string& text) {
  static const std::regex kRate(
      R"(([^\s/]+)\s*(?:(?:samples?|images?|imgs?|examples?)\s*)?/\s*s(?:econd|ec)?)");
  std::smatch match;
  const bool has_unit = std::regex_match(text, match, kRate);
  return parse_quantity(has_unit ? match[1].str() : text, Quantity::kCount);
}

}  // namespace

std::optional<double> parse_table_number(std::string_view text, Unit unit) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos || text.size() > 64) return std::nullopt;
  text = text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
  const std::optional<std::string> plain = without_separators(std::string(text));
  if (!plain) return std::nullopt;
  if (const auto number = parse_number<double>(*plain)) return number;
  switch (unit) {
    case Unit::kSeconds: {
      const auto seconds = parse_quantity(*plain, Quantity::kSeconds);
      return seconds ? seconds : clock_time(*plain);
    }
    case Unit::kSamplesPerSecond:
      return rate(*plain);
    case Unit::kBytes:
      return parse_quantity(*plain, Quantity::kBytes);
    case Unit::kNone:
    case Unit::kRatio:
    case Unit::kCount:
    case Unit::kVerdict:
      break;
  }
  return std::nullopt;
}

}  // namespace feedrate
