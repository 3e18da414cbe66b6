# SPDX-License-Identifier: Apache-2.0
"""What importing loads, and calls from several threads and processes."""

import multiprocessing
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import fathom

# numpy and pandas cost most, then what the calls need only now and then.
HEAVY = {"numpy", "pandas", "subprocess", "multiprocessing", "importlib.metadata", "statistics", "asyncio", "ctypes"}


def test_the_import_loads_nothing_heavy():
    program = "import sys; before = set(sys.modules); import fathom; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "fathom" in loaded and not loaded & HEAVY


@pytest.mark.parametrize("method", ["to_pandas", "_repr_html_"])
def test_pandas_is_needed_by_to_pandas_alone(monkeypatch, method):
    monkeypatch.setitem(sys.modules, "pandas", None)
    results = [fathom.predict("scan", 1e8, device="h200"), fathom.predict("sort-kway", [1e6], device="h200"),
               fathom.algorithms()]
    for result in results:
        if method == "to_pandas":
            with pytest.raises(ImportError, match=r"to_pandas\(\) needs pandas: pip install pandas"):
                result.to_pandas()
        else:
            assert getattr(result, method)()


QUESTIONS = [(fathom.predict, "radix-msd", 2**24, {}), (fathom.predict, "scan-lookback", 10**7, {"law": "fitted", "type": "f64"}),
             (fathom.predict, "scan", 10**8, {}), (fathom.tune, "scan-matrix", 10**6, {}),
             (fathom.count, "reduce-vector", 2**12, {}), (fathom.predict, "nope", 1, {})]


def answer(question):
    """The answer as plain values, or the error."""
    call, algorithm, n, options = question
    try:
        return call(algorithm, n, device="h200", **options).to_dict()
    except ValueError as error:
        return str(error)


def test_threads_give_the_same_answers():
    expected = [answer(one) for one in QUESTIONS]
    assert isinstance(expected[-1], str) and all(isinstance(one, dict) for one in expected[:-1])
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(answer, QUESTIONS * 8)) == expected * 8


def ask(question, answers):
    answers.put(answer(question))


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_give_the_same_answers(method):
    expected = [answer(one) for one in QUESTIONS]  # so that the module is in use before the fork
    context = multiprocessing.get_context(method)
    for question, told in zip(QUESTIONS, expected):
        answers = context.Queue()
        process = context.Process(target=ask, args=(question, answers))
        process.start()
        assert answers.get(timeout=60) == told
        process.join(60)
        assert process.exitcode == 0
    assert [answer(one) for one in QUESTIONS] == expected  # and still does here


def test_other_threads_run_meanwhile():
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.wait(0.001):
            ticks.append(time.perf_counter())

    ticker = threading.Thread(target=tick)
    ticker.start()
    begin = time.perf_counter()
    fathom.predict("sort-pairwise", np.full(100_000, 2**24), device="h200")
    end = time.perf_counter()
    stop.set()
    ticker.join()
    assert sum(begin < one < end for one in ticks) > 10
