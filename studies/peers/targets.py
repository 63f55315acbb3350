# SPDX-License-Identifier: Apache-2.0
"""The comparisons, row by row, with their targets. All contestants of a row are measured in the same rounds."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Optional, Union

from .contestants import MOST_STEPS, Contestant, Limits, Raw, Script, Sweep, first_batch, overhead, rate, waiting
from .data import FFCV, Datasets
from .field_tools import CopyLoop, Fio, ReadLoop, TjBench
from .ratios import Agreement, Target

ROWS = {
    "jpeg": "JPEG 500x375 to RandomResizedCrop 224, flip, normalise, float32; batches of 64",
    "png": "PNG 32x32, normalise, float32; batches of 128",
    "arrays": "Decoded arrays, 32x32x3 bytes, normalise, float32; batches of 128",
    "start-up": "From the start of a later epoch to its first batch; PNG, batches of 64",
    "efficiency": "The loader against what its cores can do: `feedrate limits`, samples",
    "record": "Reading a packed record against the pread() or memcpy() of as many bytes",
    "overhead": "The cost of a step without reading, decoding and transforms; one sample of 3 kB",
    "scaling": "One worker more",
    "limits": "`feedrate limits` against the tools that measure one limit each",
}

IMAGENET = (
    "[{random_resized_crop: 224}, horizontal_flip, to_tensor, "
    "{normalize: {mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225]}}]"
)
CIFAR = "[to_tensor, {normalize: {mean: [0.4914, 0.4822, 0.4465], std: [0.2023, 0.1994, 0.2010]}}]"
IDLE = "{kind: discard}"
BUSY = "{kind: burn, step_ms: 0.2}"  # longer than a sample takes to load

FILES = ("torch", "torchvision", "PIL")


@dataclass(frozen=True)
class Comparison:
    """`ours` / `theirs` · `factor`, or the inverse if `inverse`; `ours` alone without `theirs`."""

    row: str
    what: str
    ours: Contestant
    theirs: Optional[Contestant] = None
    target: Union[Target, Agreement, None] = None
    factor: float = 1.0
    inverse: bool = False


@dataclass(frozen=True)
class Work:
    row: str
    transforms: str
    pipeline: str
    batch: int


JPEG = Work("jpeg", IMAGENET, "imagenet", 64)
PNG = Work("png", CIFAR, "cifar", 128)
ARRAYS = Work("arrays", CIFAR, "cifar", 128)


class Table:
    """The contestants and comparisons of the requested rows."""

    def __init__(self, datasets: Datasets, rows: Iterable[str], workers: Sequence[int], cores: int) -> None:
        self._datasets = datasets
        self._workers = workers
        self._with_workers = [count for count in workers if count > 0]
        self._cores = cores
        self._contestants: dict[Contestant, None] = {}
        self.comparisons: list[Comparison] = []
        fill: dict[str, Callable[[], None]] = {
            "jpeg": self._jpeg,
            "png": self._png,
            "arrays": self._arrays,
            "start-up": self._start_up,
            "efficiency": self._efficiency,
            "record": self._record,
            "overhead": self._overhead,
            "scaling": self._scaling,
            "limits": self._limits,
        }
        for row in rows:
            fill[row]()

    @property
    def contestants(self) -> list[Contestant]:
        return list(self._contestants)

    def _jpeg(self) -> None:
        ours = self._files(JPEG, "jpeg", "JPEG pipeline, files", Target(2.4, 2.8))
        ffcv = self._ffcv(JPEG, "jpeg.beton", 2)
        self._compare("JPEG pipeline, W=2, against FFCV (JPEG)", ours, ffcv, Target(1.5, 1.8))
        self._compare("JPEG pipeline, files, W=2, against SPDL", ours, self._spdl(2))
        self._compare("JPEG pipeline, files, W=2, against SPDL's executor with torchvision", ours, self._spdl_torchvision(2))
        for count in self._with_workers:
            self._ffcv(JPEG, "jpeg.beton", count)
            self._spdl(count)
            self._spdl_torchvision(count)
        self._jpeg_packed()

    def _jpeg_packed(self) -> None:
        packed = (("LMDB", "jpeg.lmdb", "lmdb", "py-lmdb"), ("HDF5", "jpeg.h5", "hdf5", "h5py"), ("tar", "jpeg-shards", "", "webdataset"))
        for storage, data, kind, library in packed:

            def theirs(count: int) -> Contestant:
                if kind:
                    return self._torch_packed(JPEG, storage, data, kind, library, count)
                return self._webdataset(JPEG, data, count)

            for count in self._workers:
                self._feedrate(JPEG, storage, data, count)
                theirs(count)
            what = f"JPEG pipeline, {storage}, W=2, against PyTorch + {library}"
            self._compare(what, self._feedrate(JPEG, storage, data, 2), theirs(2))

    def _png(self) -> None:
        self._files(PNG, "png", "PNG files", Target(10.0, 12.0))
        for count in self._workers:
            self._feedrate(PNG, "tar", "png.tar", count)

    def _files(self, work: Work, data: str, what: str, target: Target) -> Contestant:
        """Ours with two workers and one file per image, the common layout; `target` is the ratio to PyTorch with Pillow."""
        for count in self._workers:
            self._feedrate(work, "files", data, count)
            self._torch_files(work, data, "pillow", count)
            self._torch_files(work, data, "torchvision", count)
        ours = self._feedrate(work, "files", data, 2)
        pillow = self._torch_files(work, data, "pillow", 2)
        self._compare(f"{what}, W=2, against PyTorch + Pillow", ours, pillow, target)
        torchvision = self._torch_files(work, data, "torchvision", 2)
        self._compare(f"{what}, W=2, against PyTorch + torchvision's decoder", ours, torchvision)
        return ours

    def _arrays(self) -> None:
        for count in self._workers:
            self._feedrate(ARRAYS, "HDF5", "pixels.h5", count)
            self._feedrate(ARRAYS, "HDF5 contiguous", "pixels-contiguous.h5", count)
            self._torch_packed(ARRAYS, "HDF5", "pixels.h5", "hdf5-decoded", "h5py", count)
        for count in self._with_workers:
            self._ffcv(ARRAYS, "pixels.beton", count)
        ffcv = self._ffcv(ARRAYS, "pixels.beton", 1)
        best = Target(1.0, 2.0)
        for data, name, shape in (("pixels.h5", "HDF5", "in chunks"), ("pixels-contiguous.h5", "HDF5 contiguous", "in one piece")):
            ours = self._feedrate(ARRAYS, name, data, 1)
            self._compare(f"decoded arrays, HDF5 {shape}, W=1, against FFCV (raw), W=1", ours, ffcv, best)
        two = self._torch_packed(ARRAYS, "HDF5", "pixels.h5", "hdf5-decoded", "h5py", 2)
        self._compare("decoded arrays, HDF5, W=2, against PyTorch + h5py", self._feedrate(ARRAYS, "HDF5", "pixels.h5", 2), two)

    def _start_up(self) -> None:
        for count in self._with_workers:
            for persistent in (False, True):
                name = "persistent workers" if persistent else "new workers"
                loader = f"persistent_workers: {str(persistent).lower()}"
                config = self._config("png", CIFAR, 64, count, loader, "epochs: 10")
                ours = self._take("start-up", f"feedrate, {name}", count, "s", Sweep(config, 64, first_batch, steps=8), ("png",))
                job = {
                    "data": self._datasets.path("png"),
                    "pipeline": "cifar",
                    "batch": 64,
                    "workers": count,
                    "persistent": persistent,
                    "epochs": 10,
                }
                theirs = self._take("start-up", f"PyTorch, {name}", count, "s", Script("torch_start_up.py", FILES, job), ("png",))
                self._compare(f"first batch of an epoch, {name}, W={count}, PyTorch's time by feedrate's", ours, theirs, inverse=True)

    def _efficiency(self) -> None:
        for work, data, target in ((JPEG, "jpeg", Target(0.95, 0.98)), (PNG, "png", None)):
            loader = self._feedrate(work, "files", data, self._cores)
            config = self._config(data, work.transforms, work.batch, 0)

            def samples(threads: int) -> Contestant:
                name = f"feedrate limits, samples of {data} files, {threads} thread{'s' * (threads > 1)}"
                way = Limits(f"dataset/read_and_make_samples/threads:{threads}$", config)
                return self._take("efficiency", name, None, "samples/s", way, (data,))

            what = f"{data.upper()} loader, W={self._cores}, against one thread's samples x {self._cores} cores"
            self._compare(what, loader, samples(1), target, factor=1.0 / self._cores, row="efficiency")
            if self._cores > 1:
                what = f"{data.upper()} loader, W={self._cores}, against samples by {self._cores} threads at once"
                self._compare(what, loader, samples(self._cores), row="efficiency")

    def _record(self) -> None:
        for storage, data, mode in (("tar", "png.tar", "pread"), ("HDF5 arrays", "pixels-contiguous.h5", "pread"), ("LMDB", "png.lmdb", "memcpy")):
            config = self._config(data, CIFAR, 128, 0)
            ours = self._take("record", f"feedrate, {storage}", None, "records/s", Limits("dataset/read/", config), (data,))
            raw = self._take("record", f"raw {mode}, {storage}", None, "records/s", Raw(mode, data), ("png.tar", data))
            self._compare(f"time of reading a record, {storage}, by that of {mode}", ours, raw, Target(1.2, 1.05, at_most=True), inverse=True)

    def _overhead(self) -> None:
        least = Target(5e-6, 1e-6, at_most=True)
        self._step("marks and statistics", 0, IDLE, overhead, least)
        self._step("taking a batch that is ready", 1, BUSY, waiting, least)
        self._step("handing over to a trainer that waits", 1, IDLE, overhead, None)

    def _step(
        self, what: str, workers: int, trainer: str, figure: Callable[[dict[str, str]], float], target: Optional[Target]
    ) -> None:
        config = self._config("pixels.h5", "[pil_to_tensor]", 1, workers, trainer=trainer)
        ours = self._take("overhead", f"feedrate, {what}", workers, "s", Sweep(config, 1, figure, steps=MOST_STEPS), ("pixels.h5",))
        self._compare(f"overhead of a step: {what}", ours, None, target)

    def _scaling(self) -> None:
        for work, data, target in ((JPEG, "jpeg", Target(1.9, 1.98)), (PNG, "png", None)):
            one, two = (self._feedrate(work, "files", data, count) for count in (1, 2))
            self._compare(f"scaling W=1 to W=2, {data.upper()} files", two, one, target, row="scaling")

    def _limits(self) -> None:
        for threads in sorted({1, self._cores}):
            what = f"memcpy of 256 MiB, {threads} thread{'s' * (threads > 1)}"
            self._agree(what, f"memory/copy/256MiB/threads:{threads}$", "B/s", CopyLoop(threads))
        for order, job, block, name in (("sequential", "read", 1 << 20, "1MiB"), ("random", "randread", 4096, "4KiB")):
            only = f"storage/{order}_warm/{name}/threads:1$"
            self._agree(f"a loop of pread() in C, {order} warm, {name}", only, "B/s", ReadLoop(job, block))
            self._agree(f"fio, {order} warm, {name}", only, "B/s", Fio(job, block, 1, cold=False))
        self._agree("fio, random cold, 4KiB, 16 at a time", "storage/random_cold/4KiB/threads:16$", "B/s", Fio("randread", 4096, 16, cold=True))
        self._agree("tjbench, 500x375 JPEG", "decode/500x375_JPEG_again/", "images/s", TjBench("jpeg"), ("jpeg",))

    def _agree(self, what: str, only: str, unit: str, way: object, data: tuple[str, ...] = ()) -> None:
        ours = self._take("limits", f"feedrate limits --only {only.rstrip('$/')}", None, unit, Limits(only))
        self._compare(f"limits against {what}", ours, self._take("limits", what, None, unit, way, data), Agreement(0.1))

    def _compare(
        self,
        what: str,
        ours: Contestant,
        theirs: Optional[Contestant],
        target: Union[Target, Agreement, None] = None,
        factor: float = 1.0,
        inverse: bool = False,
        row: str = "",
    ) -> None:
        self.comparisons.append(Comparison(row or ours.row, what, ours, theirs, target, factor, inverse))

    def _take(self, row: str, name: str, workers: Optional[int], unit: str, way: object, data: tuple[str, ...] = ()) -> Contestant:
        """Returns the same contestant for equal arguments."""
        contestant = Contestant(row, name, workers, unit, way, data)  # type: ignore[arg-type]
        self._contestants.setdefault(contestant)
        return contestant

    def _config(
        self,
        data: str,
        transforms: str,
        batch: int,
        workers: int,
        loader: str = "",
        measure: str = "",
        trainer: str = IDLE,
    ) -> str:
        return (
            f'engine: native\ndataset: {{path: "{self._datasets.path(data)}", hdf5_reads: direct}}\n'
            f"pipeline: {{transforms: {transforms}, decoder: fast}}\n"
            f"loader: {{batch_size: {batch}, num_workers: {workers}, shuffle: true{', ' * bool(loader)}{loader}}}\n"
            'device: {name: "sim:h200"}\n'
            f"trainer: {trainer}\n"
            f"measure: {{repeats: 1, limits: false{', ' * bool(measure)}{measure}}}\n"
        )

    def _feedrate(self, work: Work, storage: str, data: str, workers: int) -> Contestant:
        config = self._config(data, work.transforms, work.batch, workers)
        return self._take(work.row, f"feedrate, {storage}", workers, "samples/s", Sweep(config, work.batch, rate), (data,))

    def _torch_files(self, work: Work, data: str, decoder: str, workers: int) -> Contestant:
        name = f"PyTorch, files, {'Pillow' if decoder == 'pillow' else 'torchvision decodes'}"
        return self._script(work, name, "torch_files.py", FILES, data, workers, decoder=decoder)

    def _torch_packed(self, work: Work, storage: str, data: str, kind: str, library: str, workers: int) -> Contestant:
        module = "lmdb" if kind == "lmdb" else "h5py"
        return self._script(work, f"PyTorch, {storage}, {library}", "torch_packed.py", (*FILES, module), data, workers, storage=kind)

    def _webdataset(self, work: Work, data: str, workers: int) -> Contestant:
        return self._script(work, "PyTorch, tar, webdataset", "torch_webdataset.py", (*FILES, "webdataset"), data, workers)

    def _ffcv(self, work: Work, data: str, workers: int) -> Contestant:
        name = f"FFCV, {'JPEG' if work is JPEG else 'raw'}"
        return self._script(work, name, "ffcv_loader.py", FFCV, data, workers, records=self._datasets.records(data))

    def _spdl(self, workers: int) -> Contestant:
        return self._script(JPEG, "SPDL, files", "spdl_files.py", (*FILES, "spdl.pipeline", "spdl.io"), "jpeg", workers)

    def _spdl_torchvision(self, workers: int) -> Contestant:
        name = "SPDL's executor, files, torchvision decodes"
        return self._script(JPEG, name, "spdl_torchvision.py", (*FILES, "spdl.pipeline"), "jpeg", workers)

    def _script(self, work: Work, name: str, script: str, modules: tuple[str, ...], data: str, workers: int, **more: object) -> Contestant:
        job = {"data": self._datasets.path(data), "pipeline": work.pipeline, "batch": work.batch, "workers": workers, **more}
        return self._take(work.row, name, workers, "samples/s", Script(script, modules, job), (data,))
