// SPDX-License-Identifier: Apache-2.0
#include "analysis/profile/tensor_cores.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>

#include "analysis/profile/device_work.h"
#include "analysis/profile/gpu_summary.h"

namespace feedrate {
namespace {

using namespace std::string_view_literals;

constexpr std::array kKernelFragments = {
    "h884"sv, "s884"sv, "h1688"sv, "s1688"sv, "c1688"sv, "hmma"sv, "i8816"sv, "16816"sv,
    "dgrad_1x1_stride_2x2"sv, "first_layer_wgrad_kernel"sv, "conv1x1"sv, "conv2d_c1_k1"sv,
    "direct_group"sv, "xmma_implicit_gemm"sv, "xmma_sparse_conv"sv,
    "xmma_warp_specialized_implicit_gemm"sv, "xmma_gemm"sv, "xmma_sparse_gemm"sv,
    // Fragments that the plugin's list lacks:
    "xmma_fprop"sv, "xmma_dgrad"sv, "xmma_wgrad"sv, "tensorop"sv, "nvjet"sv,
    // Attention, and Triton's matrix product templates of torch.compile:
    "flash_fwd"sv, "flash_bwd"sv, "fmha_"sv, "triton_tem_"sv,
    // AMD's:
    "_MI16x16"sv, "_MI32x32"sv, "_MI4x4"sv, "mfma"sv, "xdl"sv, "Xdl"sv, "wmma"sv, "Wmma"sv,
    "gtcx"sv};

constexpr std::array kOperators = {"aten::prelu"sv,
                                   "aten::addmm"sv,
                                   "aten::addmm_"sv,
                                   "aten::addmv"sv,
                                   "aten::addr"sv,
                                   "aten::matmul"sv,
                                   "aten::mm"sv,
                                   "aten::mv"sv,
                                   "aten::linear"sv,
                                   "aten::addbmm"sv,
                                   "aten::baddbmm"sv,
                                   "aten::bmm"sv,
                                   "aten::chain_matmul"sv,
                                   "aten::linalg_multi_dot"sv,
                                   "aten::lstm_cell"sv,
                                   "aten::gru_cell"sv,
                                   "aten::rnn_tanh_cell"sv,
                                   "aten::rnn_relu_cell"sv,
                                   "aten::lstm"sv,
                                   "aten::gru"sv};

constexpr std::array kOperatorPrefixes = {"aten::conv1d"sv,
                                          "aten::conv2d"sv,
                                          "aten::conv3d"sv,
                                          "aten::conv_"sv,
                                          "aten::convolution"sv,
                                          "aten::_convolution"sv,
                                          "aten::_conv_"sv,
                                          "aten::cudnn_convolution"sv,
                                          "aten::_cudnn_rnn"sv,
                                          "aten::_thnn_fused_lstm_cell"sv,
                                          "aten::_thnn_fused_gru_cell"sv};

using IsEligible = std::unordered_map<std::uint64_t, bool>;

IsEligible find_operators(const Timeline& timeline) {
  IsEligible operators;
  for (const Activity& activity : timeline.activities) {
    if (activity.role != Role::kCpuExec || activity.external_id == 0) continue;
    bool& is_eligible = operators[activity.external_id];
    is_eligible = is_eligible || is_tensor_core_eligible(timeline.names.text(activity.name));
  }
  return operators;
}

}  // namespace

bool uses_tensor_cores(std::string_view kernel) {
  return std::any_of(kKernelFragments.begin(), kKernelFragments.end(), [&](std::string_view part) {
    return kernel.find(part) != std::string_view::npos;
  });
}

bool has_tensor_core_names(const Timeline& timeline) {
  if (!timeline.accelerator.empty()) return false;
  if (std::none_of(timeline.gpus.begin(), timeline.gpus.end(), is_amd)) return true;
  const std::vector<bool> is_on = names_on_tensor_cores(timeline.names);
  return std::any_of(
      timeline.activities.begin(), timeline.activities.end(),
      [&](const Activity& activity) { return is_kernel(activity) && is_on[activity.name]; });
}

std::vector<bool> names_on_tensor_cores(const NameTable& names) {
  std::vector<bool> is_on(names.size());
  for (std::size_t id = 0; id < names.size(); ++id) {
    is_on[id] = uses_tensor_cores(names.text(static_cast<NameId>(id)));
  }
  return is_on;
}

bool is_tensor_core_eligible(std::string_view operator_name) {
  return std::find(kOperators.begin(), kOperators.end(), operator_name) != kOperators.end() ||
         std::any_of(kOperatorPrefixes.begin(), kOperatorPrefixes.end(),
                     [&](std::string_view prefix) { return operator_name.starts_with(prefix); });
}

TensorCoreTimes tensor_core_times(const Timeline& timeline) {
  const std::vector<bool> is_on_tensor_cores = names_on_tensor_cores(timeline.names);
  const IsEligible operators = find_operators(timeline);
  const ExternalIds of_calls = external_ids_of_calls(timeline.activities);
  TensorCoreTimes times;
  for (const Activity& kernel : timeline.activities) {
    if (!is_kernel(kernel)) continue;
    const Nanos length = kernel.span.length();
    times.kernels += length;
    if (is_on_tensor_cores[kernel.name]) times.on_tensor_cores += length;
    const auto launcher = operators.find(launching_operator(kernel, of_calls));
    if (launcher == operators.end()) continue;
    times.of_operators += length;
    if (launcher->second) times.of_eligible_operators += length;
  }
  return times;
}

}  // namespace feedrate
