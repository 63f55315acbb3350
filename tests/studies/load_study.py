# SPDX-License-Identifier: Apache-2.0
"""Loads scripts of studies/ as modules, which Python would not find without a suffix."""
import importlib.machinery
import importlib.util
import pathlib
import sys

STUDIES = pathlib.Path(__file__).resolve().parents[2] / "studies"


def load_study(name):
    loader = importlib.machinery.SourceFileLoader(name, str(STUDIES / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    sys.modules[name] = module
    loader.exec_module(module)
    return module
