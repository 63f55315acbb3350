// The one table of knobs: everything that a sweep can vary. YAML key, setting, CSV column and
// --axis name are the same word, PyTorch's where PyTorch has one. A new knob is a row here and a
// line in cell_spec.cpp.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/setting.h"
#include "core/units.h"

namespace feedrate {

enum class KnobType { kBool, kInteger, kNumber, kText };

struct Knob {
  std::string_view name;     ///< setting, CSV column, --axis
  std::string_view section;  ///< of the YAML file, empty at its top …
  std::string_view key;      ///< … and the key in it
  KnobType type;
  std::string_view fallback;  ///< the value where the file says nothing
  double least;               ///< of numbers
  double most;
  std::vector<std::string_view> choices;  ///< of texts with a closed set; none: any text
  std::string_view help;
  /// A list in the YAML file is one value, its items with a space between them; a list of lists is
  /// several.
  bool is_list = false;
};

/// In the order of columns: the courses' table first.
[[nodiscard]] std::span<const Knob> knobs();
/// Throws ConfigError listing the known names.
[[nodiscard]] const Knob& find_knob(std::string_view name);

/// Throws ConfigError, starting with `where` ("quickstart.yaml:7: loader.num_workers"), unless
/// `text` is of the knob's type and in its range.
[[nodiscard]] SettingValue parse_knob(const Knob& knob, const std::string& text,
                                      std::string_view where);

/// The steps of a trace, "25.1 24.9" in milliseconds. Throws ConfigError that names what is wrong.
[[nodiscard]] std::vector<Nanos> parse_steps(const std::string& text);

}  // namespace feedrate
