// SPDX-License-Identifier: Apache-2.0
// The messages of a training script to `feedrate run`, each a line of JSON:
// python/feedrate/session.py has the protocol. Times are of CLOCK_MONOTONIC. Pure; any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sys/types.h>

#include "core/units.h"
#include "training/loading_evidence.h"

namespace feedrate {

/// The first message of a process that iterates DataLoaders.
struct ScriptProcess {
  pid_t id = 0;
  std::size_t rank = 0;
  std::size_t world_size = 1;
  std::string python;  ///< versions
  std::string torch;
  std::size_t cpus = 1;               ///< that it may use
  std::size_t resident = 0;           ///< bytes of memory when it began to load; 0: unknown
  std::vector<std::size_t> affinity;  ///< the CPUs that it may run on; empty: unknown
};

/// The user's call that leads to a loader, as written in the script. Offsets are bytes of `text`.
struct ScriptCall {
  struct Argument {
    std::string name;
    std::size_t begin = 0;  ///< of the value
    std::size_t end = 0;
  };
  std::string text;                 ///< "DataLoader(data, num_workers=args.workers)"
  std::vector<Argument> arguments;  ///< those that are given by keyword
  std::size_t insert = 0;           ///< where a further argument is inserted
  std::string separator;            ///< before it: ", " or nothing
  bool is_open = false;             ///< it has * or **, which may contain any argument
};

/// A DataLoader, before its first marks.
struct ScriptLoader {
  std::size_t number = 0;  ///< unique in its process
  /// The number of the first loader of which this one is a successor: the script made it at the
  /// same site after the former one was gone. Its own number if there is none.
  std::size_t group = 0;
  std::string site;  ///< "train.py:42", of the call that made it
  std::string type;  ///< names of classes
  std::string dataset;
  std::string sampler;
  std::size_t rank = 0;  ///< in torch.distributed's group, of `ranks`
  std::size_t ranks = 1;
  std::optional<double> budget;  ///< InPlaceAims::bound, if the script asked for tuning itself
  std::vector<std::pair<std::string, std::string>> given;  ///< arguments as Python writes them
  bool is_given_known = true;      ///< false: made before feedrate was imported
  std::optional<ScriptCall> call;  ///< nothing without source text
  std::string library;  ///< package that made the loader for the user's call; empty: the call did
  /// The multiprocessing_context that a call with workers needs; empty: none.
  std::string context;
  std::optional<std::size_t> length;      ///< batches an epoch
  std::optional<std::size_t> batch_size;  ///< nothing if a batch sampler has it
  std::size_t num_workers = 0;
  std::optional<std::size_t> prefetch_factor;
  bool pin_memory = false;
  bool persistent_workers = false;
  bool in_order = true;
  bool drop_last = false;
  std::string multiprocessing_context;  ///< "fork": how trial workers start
  std::string why_fixed;  ///< why its settings cannot change within an epoch; empty: they can
};

/// A call of next(), an epoch's begin or end, a loader's change to other settings, or the time in
/// which an iterator was dropped before its end.
struct ScriptMark {
  enum class Kind { kBatch, kBegin, kEnd, kSwitched, kLeft };  ///< as the protocol numbers them
  std::size_t loader = 0;
  std::size_t epoch = 0;
  Kind kind = Kind::kBatch;
  Nanos asked{};                  ///< t0: before next(), or before iter()
  Nanos loaded{};                 ///< t1: after it
  std::size_t samples = 0;        ///< of the batch; 0: unknown
  std::optional<Nanos> cpu = {};  ///< of next() without workers, if measured
  std::size_t request = 0;        ///< of kSwitched: which settings it has from here on
  std::size_t thread = 0;         ///< of kBegin: which iterates; 0: the main thread
};

/// Times of the GPU in a step, by CUDA events.
struct ScriptSpan {
  std::size_t loader = 0;
  std::size_t epoch = 0;
  std::size_t step = 0;
  std::optional<Nanos> idle;  ///< before the batch arrived
  Nanos busy{};
};

/// The cost of a batch in its worker: fetch and collate.
struct ScriptFetch {
  std::size_t loader = 0;
  std::size_t worker = 0;
  Nanos wall{};
  Nanos cpu{};
};

/// Copies of tensors to the device in the first steps.
struct ScriptCopies {
  struct Site {
    std::string site;
    bool pinned = false;
    bool non_blocking = false;
    std::size_t calls = 0;
    std::size_t bytes = 0;
  };
  std::size_t loader = 0;
  std::vector<Site> sites;
  std::size_t batch_bytes = 0;  ///< of the tensors in the largest of these batches; 0: unknown
};

/// Requested settings failed, at once or later: the loader continues with its own.
struct ScriptSwitchFailed {
  std::size_t loader = 0;
  std::size_t request = 0;  ///< as the program numbered it
  std::string problem;
};

/// The loader would return other batches than without feedrate if more were outstanding. Holds from
/// now on; 0: no workers at all.
struct ScriptLimit {
  std::size_t loader = 0;
  std::size_t most_outstanding = 0;
  std::string why;
};

/// Batches that were loaded twice, by a worker and by the training process, and compared.
struct ScriptAudit {
  std::size_t loader = 0;
  std::size_t identical = 0;  ///< in all, until now
  std::string difference;     ///< of the one that differed; empty: none did
};

/// The worker processes that load for a loader from now on. They need not be children of the
/// script.
struct ScriptWorkers {
  std::size_t loader = 0;
  std::vector<pid_t> processes;
};

/// A sentence for the summary of a loader.
struct ScriptNote {
  std::size_t loader = 0;
  std::string text;
};

struct ScriptEnd {};

/// The activity of the processes that load for a loader since the last one. No script sends it: the
/// program reads it (training/process_evidence.h).
struct LoaderEvidence {
  std::size_t loader = 0;
  LoadingEvidence evidence;
};

using ScriptMarks = std::vector<ScriptMark>;
using ScriptSpans = std::vector<ScriptSpan>;
using ScriptFetches = std::vector<ScriptFetch>;

using ScriptMessage =
    std::variant<ScriptProcess, ScriptLoader, ScriptMarks, ScriptSpans, ScriptFetches, ScriptCopies,
                 ScriptSwitchFailed, ScriptLimit, ScriptAudit, ScriptNote, ScriptWorkers, ScriptEnd,
                 LoaderEvidence>;

/// A request to give a loader other settings, once it has handed out `at` batches: a line for its
/// process.
[[nodiscard]] std::string switch_message(const ScriptLoader& to, std::size_t request,
                                         std::size_t at);

/// A request to end at the next batch: a line for a process.
[[nodiscard]] std::string stop_message();

/// Throws Error if the line is no message.
[[nodiscard]] ScriptMessage parse_script_message(std::string_view line);

}  // namespace feedrate
