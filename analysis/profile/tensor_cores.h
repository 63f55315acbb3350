// SPDX-License-Identifier: Apache-2.0
// Which kernels run on tensor cores, and which could: guessed from names, as the PyTorch profiler's
// TensorBoard plugin does (kineto, tb_plugin/torch_tb_profiler/profiler/tensor_core.py, whose list
// of kernels is PyProf's). Pure functions; any thread.
//
// Added to its list of kernels: cuBLAS's since Hopper ("nvjet"), CUTLASS's "tensorop", cuDNN's
// "xmma_fprop", "xmma_dgrad" and "xmma_wgrad", fused attention, and torch.compile's templates
// ("triton_tem_"); the matrix cores of AMD: Tensile's kernels name their MFMA instruction
// ("_MI16x16x1_"), Composable Kernel's have "xdl" or "wmma", MIOpen's "gtcx". Added to its
// operators: all convolutions, and the recurrent ones of cuDNN. The plugin's autograd nodes
// ("MmBackward") are left out: the operators that launch their kernels (aten::mm) are there.
#pragma once
#include <string_view>
#include <vector>

#include "analysis/profile/timeline.h"

namespace feedrate {

/// What a run calls a step's kernels where only their begin and end were marked: which they were,
/// and so what they ran on, is not known.
inline constexpr std::string_view kUnnamedKernels = "training step";

[[nodiscard]] bool uses_tensor_cores(std::string_view kernel);

/// Whether names tell which kernels use them: of NVIDIA's GPUs, and of AMD's where any does.
[[nodiscard]] bool tells_tensor_cores(const Timeline& timeline);

/// uses_tensor_cores() of each name, by its id.
[[nodiscard]] std::vector<bool> names_on_tensor_cores(const NameTable& names);

/// Whether an operator's kernels would run on tensor cores at a lower precision.
[[nodiscard]] bool is_tensor_core_eligible(std::string_view operator_name);

/// Sums of the lengths of kernels, all of the timeline.
struct TensorCoreTimes {
  Nanos kernels{};
  Nanos on_tensor_cores{};
  Nanos of_operators{};           ///< launched by some operator
  Nanos of_eligible_operators{};  ///< of these, by an eligible one
};

/// A kernel belongs to the operator whose external id it, or its launch, has. (The plugin passes
/// over kernels that an eligible operator launches beside another eligible one within it.)
[[nodiscard]] TensorCoreTimes tensor_core_times(const Timeline& timeline);

}  // namespace feedrate
