// SPDX-License-Identifier: Apache-2.0
// The table of knobs: everything that a sweep can vary. YAML key, setting, CSV column and --axis
// name are the same word: PyTorch's if PyTorch has one. A new knob is a row in knob_table.cpp.
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

enum class KnobRole {
  kNone,        ///< missing in the row; a test fails
  kChoice,      ///< a proposal may vary it
  kCondition,   ///< measurements are made under it; a proposal never crosses it
  kInstrument,  ///< a condition of the measurement itself, not of what is measured
};

/// The limit that a knob is part of: the trainer's alone, or the loader's alone.
enum class KnobWork {
  kNone,  ///< missing in the row; a test fails
  kNeither,
  kTrainer,
  kLoading,
  kBoth
};

/// Settings of other knobs with which a knob is idle: it has no effect. circumstances() in
/// canonicalize.cpp defines them in the same order, in which they are applied: each sees the
/// changes of the previous ones.
enum class IdleWith {
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
  IdleWith with{};
  std::string_view value = {};  ///< of an idle knob; empty: an empty field
  std::string_view kept = {};   ///< one value that still has an effect
};

/// An argument of torch.utils.data.DataLoader, by the knob's name.
struct LoaderArgument {
  int position = 0;                 ///< position in the pasted line, from 1; 0: not in it
  bool needs_workers = false;       ///< PyTorch refuses it without workers
  std::string_view otherwise = {};  ///< PyTorch's default
};

struct OwnValues {
  int position = 0;            ///< order in which knobs are checked; 0: all values are PyTorch's
  std::string_view what = {};  ///< noun for messages, such as "reader"
  std::vector<std::string_view> in_pytorch = {};  ///< PyTorch's values; others are feedrate's own
};

struct CellSpec;

struct Knob {
  KnobId id = KnobId::kOthers;    ///< knobs() replaces kOthers by a number
  std::string_view name = {};     ///< setting, CSV column, --axis
  std::string_view section = {};  ///< section of the YAML file; empty: top level
  std::string_view key = {};      ///< key in the section; empty: the name
  KnobType type = KnobType::kText;
  std::string_view fallback = {};  ///< the default
  double least = 0.0;              ///< smallest number
  double most = 0.0;
  std::vector<std::string_view> choices = {};  ///< for texts from a closed set; empty: any text
  /// The text "null", PyTorch's None, is a value besides the numbers.
  bool takes_null = false;
  /// A list in the YAML file is one value, its items separated by spaces; a list of lists is
  /// several values.
  bool is_list = false;
  KnobRole role = KnobRole::kNone;
  KnobWork work = KnobWork::kNone;
  /// The tuner's replay models it: cells that differ only in it do the same work.
  bool is_modelled = false;
  /// The tuner's model treats cells that differ only in it as similar: it acts at an epoch's start
  /// and end, or has its own distance.
  bool is_alike = false;
  /// An empty text is a value ("as it is", "none"), not "idle".
  bool empty_is_a_value = false;
  /// The settings in use today have its default, which is PyTorch's, unless they name another.
  bool is_default_today = false;
  /// Another value changes the training's samples or batches.
  bool changes_training = false;
  /// Another value needs another copy of the dataset.
  bool needs_conversion = false;
  /// The PyTorch engine has only its default.
  bool only_native = false;
  /// The native engine has only its default.
  bool only_torch = false;
  std::vector<Idle> idle = {};
  LoaderArgument argument = {};
  OwnValues own = {};
  /// Copies a value that is not empty; other knobs may not be set yet. Null for a loader's knob
  /// that only the PyTorch engine has and C++ does not read: the job has its value anyway.
  void (*set)(CellSpec& cell, const SettingValue& value) = nullptr;
  int most_used = 0;  ///< position among the knobs that --help names; 0: not named
  std::string_view help = {};
  /// Its equivalent in PyTorch, in Markdown; an argument of DataLoader needs none.
  std::string_view counterpart = {};
  /// Its text in docs/knobs.md, in Markdown; empty: `help`.
  std::string_view docs = {};
};

/// All knobs, in the order of the columns.
[[nodiscard]] std::span<const Knob> knobs();
[[nodiscard]] const Knob& knob_of(KnobId id);
/// Throws ConfigError listing the known names.
[[nodiscard]] const Knob& find_knob(std::string_view name);
/// Null if there is no such knob, as for a setting of older results.
[[nodiscard]] const Knob* known_knob(std::string_view name);
/// Null if the knob has an effect there.
[[nodiscard]] const Idle* idle_with(const Knob& knob, IdleWith with);
/// The knobs whose position is not 0, sorted by it.
[[nodiscard]] std::vector<const Knob*> by_position(int (*position_of)(const Knob& knob));

/// Throws ConfigError, starting with `where` ("quickstart.yaml:7: loader.num_workers"), unless
/// `text` has the knob's type and range.
[[nodiscard]] SettingValue parse_knob(const Knob& knob, const std::string& text,
                                      std::string_view where);

/// The content of docs/knobs.md.
[[nodiscard]] std::string knobs_markdown();

/// Parses the steps of a trace, "25.1 24.9" in milliseconds. Throws ConfigError.
[[nodiscard]] std::vector<Nanos> parse_steps(const std::string& text);

}  // namespace feedrate
