# SPDX-License-Identifier: Apache-2.0
"""The keyword arguments of calls are the options that the library declares, which the command line has, too."""

import inspect

import pytest

import fathom
from fathom import _core


@pytest.mark.parametrize("call", sorted(_core.options()))
def test_every_declared_option_is_an_argument(call):
    function = getattr(fathom, call)
    arguments = inspect.signature(function).parameters
    for name, _, default, meaning in _core.options()[call]:
        if isinstance(default, list):
            default = default[0] if len(default) == 1 else tuple(default)
        assert arguments[name].default in (default, inspect.Parameter.empty)
        assert f"{name}" in function.__doc__ and meaning in function.__doc__
    undeclared = set(arguments) - {name for name, *_ in _core.options()[call]}
    assert undeclared <= {"algorithm", "algorithms", "n", "sizes", "kind", "datasets", "output", "parameters"}


@pytest.mark.parametrize("call, defaults", [
    (fathom.predict, dict(type="u32", stable=False, device=None, law=None, input="random", what_if=(),
                          sensitivities=False, ceiling="as-printed", compose="sum")),
    (fathom.tune, dict(top=10, verify=0, gpu=0, type="u32")),
    (fathom.count, dict(machine=None, width=32, latency=400, threads=2**14, memory=None, instructions=False,
                        architecture="sm_90", memory_limit=None)),
    (fathom.calibrate, dict(gpu=0, quick=False, links=False, links_from=(), name=None, force=False)),
    (fathom.bench, dict(type="u32", input="random", repeats=11, gpu=0, gpus=None)),
    (fathom.fit, dict(refit=False, force=False)),
    (fathom.validate, dict(device=None, law=None, smallest_n=1, read_as=(), vouch=False)),
    (fathom.plot, dict(algorithm=(), parameter=None, smallest_n=1)),
    (fathom.report, dict(device=None, law=None, compare=())),
])
def test_defaults(call, defaults):
    arguments = inspect.signature(call).parameters
    assert {name: arguments[name].default for name in defaults} == defaults


@pytest.mark.parametrize("option, says", [
    (dict(width=0), "width = 0: give a whole number from 1 to 1024"),
    (dict(threads=1.5), "threads = 1.5: give a whole number from 1 to 1099511627776"),
    (dict(width=2**40), "width = 1099511627776: give a whole number from 1 to 1024"),
    (dict(width="many"), "width = 'many' is text: give a number"),
    (dict(width="32"), "width = '32' is text: give a number"),
    (dict(width=True), "width = True is not a number"),
    (dict(threads="many"), "threads = 'many' is no size: give it as 1000000, '1e6' or '2^20', and several as a list"),
    (dict(threads=None, memory_limit="2^"), "memory_limit = '2^' is no size: give it as 1000000, '1e6' or '2^20', and several as a list"),
    (dict(stable=1), "stable = 1: give True or False"),
    (dict(stable="no"), "stable = 'no': give True or False"),
    (dict(machine=3), "machine = 3: give text"),
    (dict(type=32), "type = 32: give text"),
    (dict(device=3), "device = 3: give a path"),
    (dict(machine="pram"), "machine 'pram': choose dmm, umm or agpu"),
])
def test_bad_values(option, says):
    with pytest.raises((ValueError, TypeError)) as error:
        fathom.count("scan-matrix", 2**10, **{"device": "h200", **option})
    assert str(error.value) == says
