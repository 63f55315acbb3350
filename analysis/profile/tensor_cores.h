// SPDX-License-Identifier: Apache-2.0
// Guesses from names which kernels run on tensor cores and which could, as the PyTorch profiler's
// TensorBoard plugin does (kineto, tb_plugin/torch_tb_profiler/profiler/tensor_core.py, whose list
// of kernels is PyProf's). Pure functions; any thread.
//
// Added to its list of kernels: cuBLAS's since Hopper ("nvjet"), CUTLASS's "tensorop", cuDNN's
// "xmma_fprop", "xmma_dgrad" and "xmma_wgrad", fused attention, torch.compile's templates
// ("triton_tem_"), and AMD's matrix cores: Tensile's kernels name their MFMA instruction
// ("_MI16x16x1_"), Composable Kernel's contain "xdl" or "wmma", MIOpen's "gtcx". Added to its
// operators: all convolutions, and cuDNN's recurrent ones. The plugin's autograd nodes
// ("MmBackward") are omitted, since the operators that launch their kernels (aten::mm) are listed.
#pragma once
#include <string_view>
#include <vector>

#include "analysis/profile/timeline.h"

namespace feedrate {

/// The name of a step's kernels in a run that marks only their begin and end: the kernels are
/// unknown, and so is their use of tensor cores.
inline constexpr std::string_view kUnnamedKernels = "training step";

[[nodiscard]] bool uses_tensor_cores(std::string_view kernel);

/// Whether names show which kernels use tensor cores: always on NVIDIA GPUs, on AMD GPUs if any
/// name matches.
[[nodiscard]] bool has_tensor_core_names(const Timeline& timeline);

/// uses_tensor_cores() of each name, indexed by its id.
[[nodiscard]] std::vector<bool> names_on_tensor_cores(const NameTable& names);

/// Whether an operator's kernels could run on tensor cores at a lower precision.
[[nodiscard]] bool is_tensor_core_eligible(std::string_view operator_name);

/// Summed durations of kernels over the whole timeline.
struct TensorCoreTimes {
  Nanos kernels{};
  Nanos on_tensor_cores{};
  Nanos of_operators{};           ///< launched by any operator
  Nanos of_eligible_operators{};  ///< launched by an eligible operator
};

/// A kernel belongs to the operator with its external id or that of its launch. (The plugin skips
/// kernels of an eligible operator that contains another eligible one.)
[[nodiscard]] TensorCoreTimes tensor_core_times(const Timeline& timeline);

}  // namespace feedrate
