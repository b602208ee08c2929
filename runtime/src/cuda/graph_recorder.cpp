// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs with loops and branches that the GPU decides on: conditional nodes of CUDA graphs. Each
// body is a graph that a stream of its own records into.
#include "graph_recorder.hpp"

#include "calls.hpp"

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

namespace ikra::rt {

namespace {

class recorder final : public graph_recorder {
public:
  recorder(cudaStream_t target, const section_info& section) : target_(target), section_(&section) {
    check(cuda_call(cudaGraphCreate, &graph_, 0U), "cudaGraphCreate");
    open(graph_);
  }
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;
  ~recorder() override {
    while (!levels_.empty())
      static_cast<void>(close());
    if (runnable_ != nullptr)
      static_cast<void>(cudaGraphExecDestroy(runnable_)); // once it has run
    static_cast<void>(cudaGraphDestroy(graph_));
  }

  void* stream() noexcept override { return levels_.back().stream; }

  std::uint64_t condition() override {
    cudaGraphConditionalHandle made{};
    check(cuda_call(cudaGraphConditionalHandleCreate, &made, levels_.back().graph, 0U, 0U),
          "cudaGraphConditionalHandleCreate");
    return made;
  }

  void begin(std::uint64_t condition, bool repeats) override {
    cudaStreamCaptureStatus status{};
    const cudaGraphNode_t* after = nullptr;
    std::size_t count = 0;
    check(cuda_call(cudaStreamGetCaptureInfo, levels_.back().stream, &status, nullptr, nullptr,
                    &after, nullptr, &count),
          "cudaStreamGetCaptureInfo");
    cudaGraphNodeParams node{};
    node.type = cudaGraphNodeTypeConditional;
    node.conditional.handle = condition;
    node.conditional.type = repeats ? cudaGraphCondTypeWhile : cudaGraphCondTypeIf;
    node.conditional.size = 1;
    cudaGraphNode_t made = nullptr;
    check(cuda_call(cudaGraphAddNode, &made, levels_.back().graph, after, nullptr, count, &node),
          "cudaGraphAddNode");
    check(cuda_call(cudaStreamUpdateCaptureDependencies, levels_.back().stream, &made, nullptr,
                    std::size_t(1), cudaStreamSetCaptureDependencies),
          "cudaStreamUpdateCaptureDependencies");
    open(node.conditional.phGraph_out[0]);
  }
  void end() override { check(close(), "cudaStreamEndCapture"); }

  void copy(void* to, const void* from, std::size_t bytes) override {
    check(cuda_call(cudaMemcpyAsync, to, from, bytes, cudaMemcpyDeviceToDevice,
                    levels_.back().stream),
          "copy within the GPU");
  }

  void run() override {
    if (runnable_ == nullptr) {
      while (!levels_.empty())
        end();
      check(cuda_call(cudaGraphInstantiate, &runnable_, graph_, 0ULL), "cudaGraphInstantiate");
    }
    check(cuda_call(cudaGraphLaunch, runnable_, target_), "cudaGraphLaunch");
  }

private:
  struct level {
    cudaGraph_t graph;
    cudaStream_t stream;
  };

  void check(cudaError_t status, const char* call) const {
    check_cuda(status, call, *section_, "run with IKRA_TURNS=off");
  }

  // Kernels are loaded by their first launch, which only this mode allows while it records.
  void open(cudaGraph_t graph) {
    cudaStream_t stream = nullptr;
    check(cuda_call(cudaStreamCreateWithFlags, &stream, cudaStreamNonBlocking),
          "cudaStreamCreateWithFlags");
    levels_.push_back({graph, stream});
    check(cuda_call(cudaStreamBeginCaptureToGraph, stream, graph, nullptr, nullptr, 0,
                    cudaStreamCaptureModeRelaxed),
          "cudaStreamBeginCaptureToGraph");
  }
  cudaError_t close() noexcept {
    cudaGraph_t same = nullptr;
    const cudaError_t status =
        cuda_call_that_ends(cudaStreamEndCapture, levels_.back().stream, &same);
    static_cast<void>(cudaStreamDestroy(levels_.back().stream));
    levels_.pop_back();
    return status;
  }

  cudaStream_t target_;
  const section_info* section_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t runnable_ = nullptr; ///< after the first run
  std::vector<level> levels_;          ///< the body that is recorded last
};

} // namespace

std::unique_ptr<graph_recorder> make_graph_recorder(void* stream, const section_info& section) {
  return std::make_unique<recorder>(static_cast<cudaStream_t>(stream), section);
}

} // namespace ikra::rt
