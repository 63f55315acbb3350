// SPDX-License-Identifier: Apache-2.0
// The parsers of what is read from outside, each as a function of bytes that may be hostile: what
// libFuzzer calls with bytes of its own making, and corpus_test.cpp with those of the corpus. Any
// thread.
//
// A target returns whether the bytes were taken for what they claim to be. It swallows Error, our
// own way to refuse them; whatever else it throws, and whatever a sanitizer says, is a finding.
#pragma once
#include <array>
#include <string_view>

#include "core/units.h"

namespace feedrate::fuzz {

[[nodiscard]] bool cells_csv(Bytes input);
[[nodiscard]] bool config(Bytes input);
[[nodiscard]] bool cost_profile(Bytes input);
[[nodiscard]] bool dlio(Bytes input);
[[nodiscard]] bool hdf5(Bytes input);
[[nodiscard]] bool jpeg(Bytes input);
[[nodiscard]] bool labels_csv(Bytes input);
[[nodiscard]] bool lmdb(Bytes input);
[[nodiscard]] bool lmdb_layout(Bytes input);
[[nodiscard]] bool npy(Bytes input);
[[nodiscard]] bool npz(Bytes input);
[[nodiscard]] bool png(Bytes input);
[[nodiscard]] bool rank_launch(Bytes input);
[[nodiscard]] bool run_journal(Bytes input);
[[nodiscard]] bool run_json(Bytes input);
[[nodiscard]] bool s3_xml(Bytes input);
[[nodiscard]] bool script_messages(Bytes input);
[[nodiscard]] bool tar(Bytes input);
[[nodiscard]] bool tar_index(Bytes input);
[[nodiscard]] bool tfrecord(Bytes input);
[[nodiscard]] bool tfrecord_index(Bytes input);
[[nodiscard]] bool torch_messages(Bytes input);
[[nodiscard]] bool trace(Bytes input);
[[nodiscard]] bool zarr(Bytes input);
[[nodiscard]] bool zip(Bytes input);

struct Target {
  std::string_view name;
  bool (*run)(Bytes input);
};

/// A row each. CMakeLists.txt has the same names, since each is a program of its own under
/// libFuzzer.
inline constexpr std::array kTargets{
    Target{"cells_csv", cells_csv},
    Target{"config", config},
    Target{"cost_profile", cost_profile},
    Target{"dlio", dlio},
    Target{"hdf5", hdf5},
    Target{"jpeg", jpeg},
    Target{"labels_csv", labels_csv},
    Target{"lmdb", lmdb},
    Target{"lmdb_layout", lmdb_layout},
    Target{"npy", npy},
    Target{"npz", npz},
    Target{"png", png},
    Target{"rank_launch", rank_launch},
    Target{"run_journal", run_journal},
    Target{"run_json", run_json},
    Target{"s3_xml", s3_xml},
    Target{"script_messages", script_messages},
    Target{"tar", tar},
    Target{"tar_index", tar_index},
    Target{"tfrecord", tfrecord},
    Target{"tfrecord_index", tfrecord_index},
    Target{"torch_messages", torch_messages},
    Target{"trace", trace},
    Target{"zarr", zarr},
    Target{"zip", zip},
};

}  // namespace feedrate::fuzz
