#include "bench/cli/shared_options.h"

#include <cstdlib>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "formats/registry.h"

namespace feedrate {

// CLI11's own names the largest double when it refuses 0, and lets what is too large for 64 bits
// pass.
CLI::Option* require_positive(CLI::Option* option, double most) {
  return option->check(CLI::Validator(
      [most](const std::string& text) {
        const double value = std::strtod(text.c_str(), nullptr);
        return value >= 1.0 && value <= most ? std::string()
                                             : fmt::format("{}: must be 1 to {:.0f}", text, most);
      },
      "POSITIVE"));
}

CLI::Validator share_validator() {
  return {[](std::string& text) {
            if (!text.ends_with('%')) return std::string();
            text.pop_back();
            char* end = nullptr;
            const double percent = std::strtod(text.c_str(), &end);
            if (text.empty() || *end != '\0') return text + "%: not a number";
            text = fmt::format("{}", percent / 100.0);
            return std::string();
          },
          "SHARE"};
}

std::string format_names() {
  std::string names;
  for (const Format& format : formats())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", format.name);
  return names;
}

}  // namespace feedrate
