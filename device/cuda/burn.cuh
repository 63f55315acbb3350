// SPDX-License-Identifier: Apache-2.0
// The burn kernel's body, compiled by nvcc and, for the torch engine, by PyTorch through NVRTC:
// plain CUDA C++ without headers.

// The global timer in nanoseconds, the same on all multiprocessors. clock64() would count cycles,
// whose length changes severalfold with the device's power state.
__device__ __forceinline__ unsigned long long global_time() {
  unsigned long long nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

// The global timer, read only after `value` has been computed.
__device__ __forceinline__ unsigned long long global_time_after(float& value) {
  unsigned long long nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds), "+f"(value));
  return nanoseconds;
}

// State shared by the blocks of one burn at a time. Each burn resets it for the next one, because a
// memset between them might queue behind a copy.
struct BurnState {
  unsigned long long started;  // Start of the first block in nanoseconds; all ones before.
  unsigned ended;              // Number of blocks that have ended.
  float sink;                  // Keeps the compiler from dropping the arithmetic.
};

// Runs until `duration` nanoseconds after the first block began. Fused multiply-adds make the
// device draw power and keep it as occupied as in training. The length is given as time, not as
// work.
__device__ __forceinline__ void burn_until_over(unsigned long long duration, BurnState* state) {
  constexpr int kFmas = 256;  // Per round of arithmetic, which takes a few microseconds.
  __shared__ unsigned long long deadline;
  if (threadIdx.x == 0) {
    const unsigned long long now = global_time();
    const unsigned long long earlier = atomicMin(&state->started, now);
    deadline = (earlier < now ? earlier : now) + duration;
  }
  __syncthreads();

  // Two chains converge, so that no operand ever becomes infinite or denormal.
  float x = threadIdx.x * 1e-3f;
  float y = blockIdx.x * 1e-3f;
  unsigned long long now = global_time();
  while (now < deadline) {
#pragma unroll 16
    for (int i = 0; i < kFmas; ++i) {
      x = fmaf(x, 0.75f, y);
      y = fmaf(y, 0.5f, 0.125f);
    }
    now = global_time_after(y);
  }
  if (x + y < 0.0f) state->sink = x;  // Cannot happen, but the compiler does not know.
  if (threadIdx.x == 0 && atomicAdd(&state->ended, 1u) == gridDim.x - 1) {
    state->started = ~0ull;
    state->ended = 0;
  }
}
