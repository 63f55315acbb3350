// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda_graph.h"

#include <utility>

#include <cuda_runtime_api.h>

#include "device/cuda/cuda_stream.h"
#include "device/cuda/cuda_work.h"

namespace feedrate {
namespace {

struct DestroyGraph {
  void operator()(CUgraph_st* graph) const noexcept { cudaGraphDestroy(graph); }
};
struct DestroyGraphExec {
  void operator()(CUgraphExec_st* graph) const noexcept { cudaGraphExecDestroy(graph); }
};
using OwnedGraph = std::unique_ptr<CUgraph_st, DestroyGraph>;
using OwnedGraphExec = std::unique_ptr<CUgraphExec_st, DestroyGraphExec>;

class CudaGraph final : public CudaWork {
 public:
  CudaGraph(const CudaContext& context, std::unique_ptr<DeviceStream> stream, OwnedGraphExec graph)
      : context_(context), stream_(std::move(stream)), graph_(std::move(graph)) {}

  void launch(CUstream_st* stream) const override {
    context_.check(cudaGraphLaunch(graph_.get(), stream), "cudaGraphLaunch");
  }

 private:
  const CudaContext& context_;
  std::unique_ptr<DeviceStream> stream_;  // owns burn scratch of the graph
  OwnedGraphExec graph_;
};

OwnedGraph end_capture(cudaStream_t stream, cudaError_t& error) {
  cudaGraph_t graph = nullptr;
  error = cudaStreamEndCapture(stream, &graph);
  return OwnedGraph(graph);
}

// Thread-local mode: other threads may allocate pinned memory during the capture.
OwnedGraph capture(const CudaContext& context, DeviceStream& stream,
                   const std::function<void(DeviceStream&)>& issue) {
  const cudaStream_t handle = handle_of(stream);
  context.check(cudaStreamBeginCapture(handle, cudaStreamCaptureModeThreadLocal),
                "cudaStreamBeginCapture");
  cudaError_t error = cudaSuccess;
  try {
    issue(stream);
  } catch (...) {
    end_capture(handle, error);
    cudaGetLastError();  // the exception reports it
    throw;
  }
  OwnedGraph graph = end_capture(handle, error);
  context.check(error, "cudaStreamEndCapture");
  return graph;
}

}  // namespace

std::unique_ptr<DeviceWork> capture_cuda_graph(const CudaContext& context,
                                               const std::function<void(DeviceStream&)>& issue) {
  auto stream = make_cuda_stream(context, StreamKind::kNonBlocking);
  const OwnedGraph graph = capture(context, *stream, issue);
  cudaGraphExec_t executable = nullptr;
  context.check(cudaGraphInstantiate(&executable, graph.get(), 0), "cudaGraphInstantiate");
  return std::make_unique<CudaGraph>(context, std::move(stream), OwnedGraphExec(executable));
}

}  // namespace feedrate
