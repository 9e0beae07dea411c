"""Modules that take long to load and that few commands need: `weir run` may not delay the program that it starts."""

import importlib.util
import sys
from types import ModuleType


def late(name: str) -> ModuleType:
    """The module, which is loaded when something of it is first used."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
