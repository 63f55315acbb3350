// SPDX-License-Identifier: Apache-2.0
// The one table of knobs: everything that a sweep can vary, and all that is known of it. YAML key,
// setting, CSV column and --axis name are the same word, PyTorch's where PyTorch has one. A new
// knob is a row of knob_table.cpp.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/plan/knob_id.h"
#include "core/setting.h"
#include "core/units.h"

namespace feedrate {

enum class KnobType { kBool, kInteger, kNumber, kText };

/// Whose decision a knob is.
enum class KnobRole {
  kNone,        ///< a row that forgot it: a test refuses that
  kChoice,      ///< what a proposal may vary
  kCondition,   ///< what a measurement is made under; a proposal never crosses one
  kInstrument,  ///< a condition that says how cells are measured, and not what is measured
};

/// Whose limit a knob is part of: that of the trainer alone, or that of the loader alone.
enum class KnobWork {
  kNone,  ///< a row that forgot it: a test refuses that
  kNeither,
  kTrainer,
  kLoading,
  kBoth
};

/// Settings of other knobs beside which a knob may be idle: it means nothing there. circumstances()
/// in canonicalize.cpp says what they are. Its order, which is the same, is that in which they are
/// looked at: what one changes, the next ones see.
enum class Beside {
  kMockLoader,
  kResidentBatch,
  kNoWorkers,
  kNoForkServer,
  kDataLoader,
  kNoShuffle,
  kOwnBatches,
  kOneRank,
  kPaddedAlike,
  kDiscard,
  kBurn,
  kGemm,
  kCnn,
  kTrace,
  kOwnStep,
  kInMemory,
  kDevicePrefetch,
  kOnCpu,
  kPageable,
  kNoHdf5,
  kNotContiguous,
  kHdf5Library,
  kOneByOne,
  kNoChunks,
  kNoZarr,
};

struct Idle {
  Beside beside{};
  std::string_view value = {};  ///< where it stands there; empty: an empty field, "not asked for"
  std::string_view kept = {};   ///< one value that means something all the same
};

/// An argument of torch.utils.data.DataLoader, by the knob's name.
struct LoaderArgument {
  int place = 0;                    ///< in the pasted line, from 1 on; 0: it is none
  bool needs_workers = false;       ///< PyTorch refuses it where there are none
  std::string_view otherwise = {};  ///< PyTorch's default, where it is left out
};

/// Values that PyTorch does not have.
struct OwnValues {
  int place = 0;                                  ///< the first is named; 0: there are none
  std::string_view what = {};                     ///< of feedrate's own has other values …
  std::vector<std::string_view> in_pytorch = {};  ///< … than these, which are PyTorch's
};

struct CellSpec;

struct Knob {
  KnobId id{};
  std::string_view name = {};     ///< setting, CSV column, --axis
  std::string_view section = {};  ///< of the YAML file, empty at its top …
  std::string_view key = {};      ///< … and the key in it
  KnobType type = KnobType::kText;
  std::string_view fallback = {};  ///< the value where the file says nothing
  double least = 0.0;              ///< of numbers
  double most = 0.0;
  std::vector<std::string_view> choices = {};  ///< of texts with a closed set; none: any text
  /// The text "null", PyTorch's None, is a value beside the numbers.
  bool takes_null = false;
  /// A list in the YAML file is one value, its items with a space between them; a list of lists is
  /// several.
  bool is_list = false;
  KnobRole role = KnobRole::kNone;
  KnobWork work = KnobWork::kNone;
  /// The tuner's replay knows what it does: cells that differ in it do the same work.
  bool is_modelled = false;
  /// Cells that differ in it are alike to the tuner's belief: it acts at an epoch's start and end,
  /// or is a distance of its own.
  bool is_alike = false;
  /// Empty is a value ("as it is", "none") and not "has no meaning here".
  bool empty_is_a_value = false;
  /// The settings in use today have its fallback, PyTorch's default, unless they name another.
  bool is_default_today = false;
  /// Another value trains on other samples, or on other batches of them.
  bool changes_training = false;
  /// Another value means that the dataset is written once more.
  bool needs_conversion = false;
  /// The PyTorch engine has its fallback only.
  bool only_native = false;
  /// The native engine has its fallback only.
  bool only_torch = false;
  std::vector<Idle> idle = {};
  LoaderArgument argument = {};
  OwnValues own = {};
  /// Hands a value on that is not empty; other knobs may not be set yet.
  void (*set)(CellSpec& cell, const SettingValue& value) = nullptr;
  int most_used = 0;  ///< its place among the knobs that --help names; 0: it is none of them
  std::string_view help = {};
  /// What it is in PyTorch, in Markdown; an argument of DataLoader says so by itself.
  std::string_view counterpart = {};
  /// What docs/knobs.md says of it, in Markdown; empty: what `help` says.
  std::string_view docs = {};
};

/// In the order of columns: the courses' table first.
[[nodiscard]] std::span<const Knob> knobs();
[[nodiscard]] const Knob& knob_of(KnobId id);
/// Throws ConfigError listing the known names.
[[nodiscard]] const Knob& find_knob(std::string_view name);
/// Null where there is no such knob, as of a setting of older results.
[[nodiscard]] const Knob* known_knob(std::string_view name);
/// Null where it means something there.
[[nodiscard]] const Idle* idle_beside(const Knob& knob, Beside beside);
/// Those whose place is not 0, by their places.
[[nodiscard]] std::vector<const Knob*> by_place(int (*place_of)(const Knob& knob));

/// Throws ConfigError, starting with `where` ("quickstart.yaml:7: loader.num_workers"), unless
/// `text` is of the knob's type and in its range.
[[nodiscard]] SettingValue parse_knob(const Knob& knob, const std::string& text,
                                      std::string_view where);

/// The content of docs/knobs.md.
[[nodiscard]] std::string knobs_markdown();

/// The steps of a trace, "25.1 24.9" in milliseconds. Throws ConfigError that names what is wrong.
[[nodiscard]] std::vector<Nanos> parse_steps(const std::string& text);

}  // namespace feedrate
