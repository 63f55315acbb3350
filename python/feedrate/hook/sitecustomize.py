# SPDX-License-Identifier: Apache-2.0
"""Python runs this file when it starts: in the script of `feedrate run`, and in every Python that the script starts.

It runs the user's own sitecustomize, and installs feedrate.patch once torch.utils.data is imported. No annotations and no new
syntax, because a script may start an older Python.
"""
import os
import sys

_WATCHED = ("torch.utils.data", "torchdata.stateful_dataloader.stateful_dataloader")
_FOLDER = os.path.dirname(os.path.abspath(__file__))


class _Finder(object):
    """Finds the modules that define loaders by the other finders, and patches them after their import. Finds the package feedrate
    here, so that it matches the program, whether it is installed or not. sys.path keeps the user's entries."""

    def __init__(self):
        self._asked = set()  # guards against recursion: the finder of another feedrate asks this one

    def find_spec(self, name, path=None, target=None):
        if name == "feedrate":
            return _own_package()
        if name not in _WATCHED or name in self._asked:
            return None
        self._asked.add(name)
        try:
            for finder in sys.meta_path:
                spec = finder.find_spec(name, path, target) if hasattr(finder, "find_spec") else None
                if spec is not None:
                    return _with_patch(spec)
        finally:
            self._asked.remove(name)
        return None


def _with_patch(spec):
    try:
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            _install()

        spec.loader.exec_module = exec_module
    except Exception:  # an unusual loader: nothing is watched
        _report()
    return spec


def _own_package():
    import importlib.util

    package = os.path.dirname(_FOLDER)
    init = os.path.join(package, "__init__.py")
    return importlib.util.spec_from_file_location("feedrate", init, submodule_search_locations=[package])


def _install():
    try:
        from feedrate import patch

        patch.install(watches_all=True)
    except Exception:
        _report()


def _report():
    try:
        from feedrate import debug

        debug.report()
    except Exception:  # the package is gone, or belongs to another feedrate
        pass


sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _FOLDER]  # PYTHONPATH keeps it for child processes
if os.environ.get("FEEDRATE_RUN") and sys.version_info >= (3, 9):
    sys.meta_path.insert(0, _Finder())

_this = sys.modules.pop("sitecustomize", None)
try:
    import sitecustomize  # noqa: F401  # the user's own; its errors are shown as usual
except ImportError as error:
    if getattr(error, "name", "sitecustomize") != "sitecustomize":
        raise
    if _this is not None:  # Python's import of this file expects the entry
        sys.modules["sitecustomize"] = _this
