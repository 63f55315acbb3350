# SPDX-License-Identifier: Apache-2.0
"""Prints the versions of the named modules, and why others cannot be imported."""
from __future__ import annotations

import importlib
import json
import platform
import sys
import warnings
from importlib import metadata

PACKAGES = {"PIL": "pillow", "spdl.pipeline": "spdl-core", "spdl.io": "spdl-io"}  # whose names differ


def version_of(name: str) -> str:
    module = importlib.import_module(name)
    for package in (PACKAGES.get(name, name), name):
        try:
            return metadata.version(package)
        except metadata.PackageNotFoundError:
            pass
    return str(getattr(module, "__version__", "present"))


def main() -> None:
    warnings.simplefilter("ignore")
    found, missing = {}, {}
    for name in sys.argv[1:]:
        try:
            found[name] = version_of(name)
        except Exception as error:  # reports whatever a broken installation raises
            missing[name] = f"{type(error).__name__}: {error}"
    if "PIL" in found:
        from PIL import features

        found["PIL's libjpeg-turbo"] = str(features.version("libjpeg_turbo"))
    if "torchvision" in found:
        import torch_transforms

        found["torchvision's"] = f"{torch_transforms.OF_TENSORS} for tensors"
    print(json.dumps({"python": platform.python_version(), "found": found, "missing": missing}), flush=True)


if __name__ == "__main__":
    main()
