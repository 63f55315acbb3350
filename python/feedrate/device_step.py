# SPDX-License-Identifier: Apache-2.0
"""Device work of a given duration: the native engine's burn kernel where PyTorch can compile it (NVRTC, since torch 2.8), else
torch.cuda._sleep()."""
from __future__ import annotations

import contextlib
import importlib
import pathlib
from collections.abc import Iterator
from typing import Any, Callable

BURN = pathlib.Path(__file__).with_name("burn.cuh")
# Integers, because every PyTorch passes them as int; floats were float at first and are double now.
ENTRY = """
extern "C" __global__ void __launch_bounds__(256) feedrate_burn(int seconds, int nanoseconds, BurnState* state) {
  burn_until_over(1000000000ull * seconds + nanoseconds, state);
}
"""
THREADS = 256
MOST_OFF = 0.02  # relative error of a step's duration

Step = Callable[[float], None]  # queues work of that many nanoseconds on the current stream


def make_step(torch: Any, device: int, warn: Callable[[str], None]) -> tuple[str, Step]:
    torch.cuda.set_device(device)
    try:
        step = burn(torch, device, BURN.read_text())
        require_length(torch.cuda, step)
        return "burn, compiled by NVRTC", step
    except Exception as error:  # another PyTorch, or one without NVRTC
        warn(f"the step is torch.cuda._sleep(), one thread of the GPU: its burn cannot be used: {error}")
        return "torch.cuda._sleep()", sleep(torch.cuda)


def burn(torch: Any, device: int, source: str) -> Step:
    with some_cuda_home(torch):
        kernel = torch.cuda._compile_kernel(source + ENTRY, "feedrate_burn")
    properties = torch.cuda.get_device_properties(device)
    blocks = properties.multi_processor_count * (properties.max_threads_per_multi_processor // THREADS)
    state = torch.tensor([-1, 0], dtype=torch.int64, device=f"cuda:{device}")  # a BurnState: started, then ended and sink
    return lambda nanoseconds: kernel((blocks, 1, 1), (THREADS, 1, 1), [*divmod(round(nanoseconds), 10**9), state])


@contextlib.contextmanager
def some_cuda_home(torch: Any) -> Iterator[None]:
    """Sets a CUDA_HOME: without one PyTorch refuses to compile, because it looks for headers. The burn kernel includes none."""
    extension: Any = importlib.import_module("torch.utils.cpp_extension")
    usual = extension.CUDA_HOME
    extension.CUDA_HOME = usual or str(pathlib.Path(torch.__file__).parent)
    try:
        yield
    finally:
        extension.CUDA_HOME = usual


def require_length(cuda: Any, step: Step, milliseconds: float = 5.0) -> None:
    begin, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
    step(milliseconds * 1e6)  # keeps the device busy while the host queues the measured step
    begin.record()
    step(milliseconds * 1e6)
    end.record()
    end.synchronize()
    took = begin.elapsed_time(end)
    if abs(took - milliseconds) > MOST_OFF * milliseconds:
        raise RuntimeError(f"it took {took:.3f} ms instead of {milliseconds:.3f} ms")


def sleep(cuda: Any) -> Step:
    cycles_per_ns = sleep_cycles_per_ns(cuda)
    return lambda nanoseconds: cuda._sleep(round(cycles_per_ns * nanoseconds))


def sleep_cycles_per_ns(cuda: Any, warm_ms: float = 300.0, least_ms: float = 20.0) -> float:
    """Cycles of torch.cuda._sleep() per nanosecond, measured until the clocks are up and two measurements in a row agree."""
    cycles, passed, before = 1_000_000, 0.0, 0.0
    for _ in range(200):
        begin, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        begin.record()
        cuda._sleep(cycles)
        end.record()
        end.synchronize()
        took: float = begin.elapsed_time(end)
        passed += took
        if took < least_ms:
            cycles *= 2
            continue
        rate = cycles / (took * 1e6)
        if passed >= warm_ms and abs(rate - before) <= 0.005 * rate:
            return rate
        before = rate
    if before == 0.0:
        raise RuntimeError("torch.cuda._sleep() takes no time: the duration of a step cannot be calibrated")
    return before
