# SPDX-License-Identifier: Apache-2.0
"""Makes DataLoader pin memory without a GPU, where it would warn and not pin at all.

With pin_memory and workers, DataLoader runs a thread that copies every tensor into page-locked memory. A sweep for a simulated device
must pay for that thread, its queue and its copy. So, in this process and in the workers forked from it:

* the two modules of DataLoader that ask for an accelerator, and the module of a subclass, get a view of `torch` that has one; all
  other code, also a user's dataset, gets torch itself;
* Tensor.pin_memory() copies into ordinary memory, allocated as by PyTorch's caching host allocator: page-aligned blocks of a power
  of two, kept for ever, the last freed block reused first.

Not simulated: locking the pages (the first use of a block costs page faults instead of cudaHostAlloc), and waiting for copies that
still read a block.
"""
from __future__ import annotations

import mmap
import sys
import threading
import weakref
from typing import Any, Optional

import torch
import torch.utils.data.dataloader
import torch.utils.data._utils.pin_memory

_SMALLEST = mmap.PAGESIZE


class BlockCache:
    """Thread-safe: a block is given back on the thread that frees its last tensor."""

    def __init__(self) -> None:
        self.total_bytes = 0
        self._free: dict[int, list[mmap.mmap]] = {}
        self._lent: set[int] = set()
        self._lock = threading.RLock()  # reentrant: a garbage collection within a call may give a block back

    def copy(self, tensor: torch.Tensor) -> torch.Tensor:
        if self.holds(tensor) or tensor.numel() == 0:
            return tensor
        dense = tensor if _is_dense(tensor) else tensor.contiguous()
        length = dense.numel() * dense.element_size()
        block = self._take(1 << max(length - 1, _SMALLEST - 1).bit_length())
        lease = memoryview(block)  # the result's storage keeps it as long as any view of the result
        memory = torch.frombuffer(lease, dtype=torch.uint8)
        address = memory.data_ptr()
        with self._lock:
            self._lent.add(address)
        finalizer: Any = weakref.finalize(lease, self._give_back, block, address)
        finalizer.atexit = False
        result = memory[:length].view(dense.dtype).as_strided(dense.size(), dense.stride())
        return result.copy_(dense)

    def holds(self, tensor: torch.Tensor) -> bool:
        return _storage_address(tensor) in self._lent

    def _take(self, size: int) -> mmap.mmap:
        with self._lock:
            free = self._free.setdefault(size, [])
            if free:
                return free.pop()
            self.total_bytes += size
        return mmap.mmap(-1, size)

    def _give_back(self, block: mmap.mmap, address: int) -> None:
        with self._lock:
            self._lent.discard(address)
            self._free[len(block)].append(block)


def _storage_address(tensor: torch.Tensor) -> int:
    return int(tensor.data_ptr() - tensor.storage_offset() * tensor.element_size())


def _is_dense(tensor: torch.Tensor) -> bool:
    return bool(tensor.is_contiguous() or (tensor.dim() == 4 and tensor.is_contiguous(memory_format=torch.channels_last)))


class _View:
    """A module with some of its names replaced."""

    def __init__(self, module: Any, **replaced: Any) -> None:
        self.__dict__.update(replaced)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def _there_is_one() -> bool:
    return True


def _first(*_: Any) -> int:
    return 0


def _nothing(*_: Any) -> None:
    return None


def _view_with_accelerator() -> _View:
    cuda = _View(torch.cuda, is_available=_there_is_one, current_device=_first, set_device=_nothing)
    if not hasattr(torch, "accelerator"):
        return _View(torch, cuda=cuda)
    accelerator = _View(
        torch.accelerator,
        is_available=_there_is_one,
        current_accelerator=lambda *_, **__: torch.device("cuda"),
        current_device_index=_first,
        current_device_idx=_first,
        set_device_index=_nothing,
        set_device_idx=_nothing,
    )
    return _View(torch, cuda=cuda, accelerator=accelerator)


_cache: Optional[BlockCache] = None
_view: Any = None


def install() -> None:
    global _cache, _view
    cache = BlockCache()
    _cache, _view = cache, _view_with_accelerator()
    torch.utils.data.dataloader.torch = _view
    torch.utils.data._utils.pin_memory.torch = _view
    torch.Tensor.pin_memory = lambda self, *_, **__: cache.copy(self)


def show_to(loader: Any) -> None:
    """Patches the module of a subclass of DataLoader, which may ask for an accelerator, as torchdata's StatefulDataLoader does."""
    if _cache is None or not (isinstance(loader, type) and issubclass(loader, torch.utils.data.DataLoader)):
        return
    module: Any = sys.modules[loader.__module__]
    if getattr(module, "torch", None) is torch:
        module.torch = _view


def is_pinned(tensor: torch.Tensor) -> bool:
    return _cache is not None and _cache.holds(tensor)


def pinned_bytes() -> int:
    return 0 if _cache is None else _cache.total_bytes
