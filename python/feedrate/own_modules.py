# SPDX-License-Identifier: Apache-2.0
"""Imports functions of the user's modules by MODULE:FUNCTION."""
from __future__ import annotations

import importlib
import sys
from typing import Any

from .failures import MissingPackage, Mistake

# The packages whose names differ from those of their modules.
_PACKAGES = {
    "PIL": "pillow",
    "cv2": "opencv-python-headless",
    "lance": "pylance",
    "spdl": "spdl-core",
    "streaming": "mosaicml-streaming",
}


def look_for_modules(folders: list[str]) -> None:
    """Puts the folders first on sys.path, behind the folder of the program itself."""
    for index, folder in enumerate(folders):
        sys.path.insert(1 + index, folder)


def missing_package(error: Exception, what: str) -> MissingPackage:
    if isinstance(error, MissingPackage):
        return error
    module = (getattr(error, "name", None) or "").partition(".")[0]
    return MissingPackage(f"{what} needs {module}: {sys.executable} -m pip install {_PACKAGES.get(module, module)}")


def named(reference: str, key: str) -> Any:
    """The object that MODULE:FUNCTION names. Raises Mistake, whose message begins with `key`."""
    module_name, colon, path = reference.partition(":")
    if not colon or not module_name or not path:
        raise Mistake(f'{key}: "{reference}" is invalid; must be MODULE:FUNCTION, such as my_project.data:make_dataset')
    try:
        found = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if not missing or not (module_name == missing or module_name.startswith(missing + ".")):
            raise missing_package(error, f"{key}: {module_name}") from error
        looked = ", ".join(folder for folder in sys.path[1:3])
        raise MissingPackage(
            f"{key}: no module {missing} (looked in {looked}, in $PYTHONPATH and among the packages of "
            f"{sys.executable}); put it next to the configuration, or run feedrate in its folder, or install its package"
        ) from None
    except Exception as error:
        raise Mistake(f"{key}: importing {module_name} raised {type(error).__name__}: {error}") from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise Mistake(f"{key}: module {module_name} ({getattr(found, '__file__', 'built in')}) has no {path}; must be a function of the module")
        found = getattr(found, part)
    if not callable(found):
        raise Mistake(f"{key}: {reference} is a {type(found).__name__}; must be a function or a class")
    return found
