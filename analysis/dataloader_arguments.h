// SPDX-License-Identifier: Apache-2.0
// Arguments of PyTorch's DataLoader. Pure functions of a cell; any thread.
#pragma once
#include <string>

#include "core/result.h"

namespace feedrate {

/// "decoder=fast is feedrate's own decoder; PyTorch has no such setting"; empty where PyTorch
/// can do all that the cell did.
[[nodiscard]] std::string why_not_pastable(const CellResult& cell);
[[nodiscard]] bool is_pastable(const CellResult& cell);

/// The keyword arguments of torch.utils.data.DataLoader that are plain values: the knobs that are
/// varied most, and all others that are not PyTorch's default. multiprocessing_context is included
/// for native cells with the default, since the native engine forks. REQUIRES: is_pastable(cell).
[[nodiscard]] Settings dataloader_kwargs(const CellResult& cell);

/// With several ranks, or batches of similar length, a sampler shuffles and DataLoader takes no
/// `shuffle`.
[[nodiscard]] bool has_ranks(const CellResult& cell);
[[nodiscard]] bool is_grouped(const CellResult& cell);

}  // namespace feedrate
