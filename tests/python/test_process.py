"""A good neighbour in the process: imports, signals, forks, threads, memory."""
import json
import os
import signal
import statistics
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import mercer

X = np.random.default_rng(6).standard_normal((300, 5))


def python(code, *, env=None, **more):
    """Runs code in a new interpreter; what it prints last is JSON."""
    wanted = {name: value for name, value in {**os.environ, **(env or {})}.items() if value is not None}
    done = subprocess.run([sys.executable, "-c", code], env=wanted, capture_output=True, text=True, timeout=120,
                          check=False, **more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_import_is_fast_and_starts_no_thread():
    code = """
import json, os, time
os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy
start = time.process_time()
import mercer, sys
print(json.dumps([time.process_time() - start, len(os.listdir("/proc/self/task")),
                  [name for name in ("sklearn", "scipy", "pandas", "joblib") if name in sys.modules]]))
"""
    runs = [python(code) for _ in range(3)]
    assert min(run[0] for run in runs) < 0.15
    assert all(run[1:] == [1, []] for run in runs)


def test_works_without_scikit_learn_and_scipy():
    code = """
import json, sys
sys.modules.update(sklearn=None, scipy=None, pandas=None, joblib=None)
import mercer
table = mercer.data("moons", n=80)
kpca = mercer.KernelPCA(2, kernel="rbf", gamma="median", fit_inverse_transform=True).fit(table.data)
kpca.inverse_transform(kpca.transform(table.data))
for name in ("fit", "transform"):
    try:
        getattr(mercer.KernelPCA(), name)(table.data[:1])
    except ValueError:
        pass
mercer.KernelLDA().fit(table.data, table.labels).score(table.data, table.labels)
print(json.dumps([mercer.__version__, repr(kpca), kpca.get_feature_names_out().tolist()]))
"""
    assert python(code)[1:] == ["KernelPCA(fit_inverse_transform=True, gamma='median', kernel='rbf', n_components=2)",
                                ["kernelpca0", "kernelpca1"]]


def test_version_is_that_of_the_project():
    root = os.environ.get("MERCER_SOURCE", "")
    assert root, "MERCER_SOURCE names no folder"
    with open(os.path.join(root, "CMakeLists.txt"), encoding="utf-8") as file:
        assert f"project(mercer VERSION {mercer.__version__} " in file.read()


def test_kernels_of_the_blas_are_chosen_before_it_is_loaded():
    code = "import json, os, mercer; print(json.dumps([mercer.blas()['better'], os.environ.get('OPENBLAS_CORETYPE')]))"
    better, chosen = python(code, env={"OPENBLAS_CORETYPE": None})
    assert better == "" and chosen in (None, "SkylakeX", "Haswell", "Zen")
    assert python(code, env={"OPENBLAS_CORETYPE": "Haswell"}) == ["", "Haswell"]
    kept = python(code, env={"OPENBLAS_CORETYPE": None, "MERCER_BLAS": "keep"})
    assert kept[1] is None
    with pytest.warns(mercer.MercerWarning, match="OPENBLAS_CORETYPE=SkylakeX .* W802|W802"):
        mercer._blas.check("SkylakeX", "Prescott")


INTERRUPTED = """
import signal, sys, time, warnings
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background of a shell inherit that it is ignored
warnings.simplefilter("ignore")
import numpy as np, mercer
X = np.random.default_rng(0).standard_normal((4000, 30))
kpca = mercer.KernelPCA(2, kernel="rbf").fit(X[:200])
before = kpca.transform(X[:5])
kpca.set_params(solver=sys.argv[1], n_components=int(sys.argv[2]), kernel=sys.argv[3])
kpca.kernel = (lambda a, b: float(a @ b)) if sys.argv[3] == "function" else kpca.kernel
print("ready", flush=True)
try:
    while True:
        kpca.fit(X)
        kpca.n_components += 1
except KeyboardInterrupt:
    print(time.monotonic(), flush=True)
kpca.set_params(solver="auto", n_components=2, kernel="rbf").fit(X[:200])
assert np.array_equal(kpca.transform(X[:5]), before)
"""


def interrupted(delay, *settings):
    """Seconds from Ctrl-C to KeyboardInterrupt; afterwards the next fit is as good as any."""
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED, *settings], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(delay)
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        raised = float(child.stdout.readline())
        assert child.wait(60) == 0
        return raised - sent
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def test_ctrl_c_is_heard_within_a_fifth_of_a_second():
    waits = [interrupted(delay, *settings) for delay, *settings in (
        (0.15, "auto", "5", "rbf"), (0.6, "auto", "5", "rbf"), (0.4, "dense", "100", "rbf"), (1.5, "dense", "100", "rbf"),
        (0.3, "auto", "5", "function"))]
    assert statistics.median(waits) < 0.2 and max(waits) < 1, waits  # a loaded machine may hold up one of them


def test_forks_after_a_fit_give_the_same_answers():
    expected = mercer.KernelPCA(3, kernel="rbf", n_jobs=2).fit(X)
    scores = expected.transform(X)
    for _ in range(100):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                again = mercer.KernelPCA(3, kernel="rbf", n_jobs=2).fit(X)
                status = 0 if np.array_equal(again.transform(X), scores) else 2
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert np.array_equal(expected.transform(X), scores)


def fitted_elsewhere(rows):
    return mercer.KernelPCA(3, kernel="rbf").fit(rows)


def test_spawned_processes_and_workers_of_joblib():
    import multiprocessing
    expected = fitted_elsewhere(X).transform(X)
    code = f"""
import json, multiprocessing, sys
sys.path.insert(0, {os.path.dirname(__file__)!r})
import numpy as np
from test_process import X, fitted_elsewhere
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.map(fitted_elsewhere, [X])[0]
    print(json.dumps(bool(np.array_equal(found.transform(X), fitted_elsewhere(X).transform(X)))))
"""
    assert multiprocessing.get_start_method() and python(code) is True
    joblib = pytest.importorskip("joblib")
    from mercer._parameters import threads
    with joblib.Parallel(n_jobs=2) as parallel:
        limits = parallel(joblib.delayed(threads)(None) for _ in range(2))
        assert all(limit is not None and int(limit) <= max(1, (os.cpu_count() or 1) // 2) for limit in limits)
        for found in parallel(joblib.delayed(fitted_elsewhere)(X) for _ in range(2)):
            assert np.array_equal(found.transform(X), expected)


def test_numbers_of_threads():
    from mercer._parameters import threads
    processors = len(os.sched_getaffinity(0))
    assert (threads(None), threads(3), threads(-1), threads(-processors - 5)) == (None, 3, processors, 1)
    for wrong in (0, "two"):
        with pytest.raises(ValueError):
            threads(wrong)
    one, two = (mercer.KernelPCA(3, kernel="rbf", n_jobs=jobs).fit(X).transform(X) for jobs in (1, 2))
    assert np.array_equal(one, two)


def test_fifty_threads_at_once_give_the_serial_answers():
    import ctypes
    blas = ctypes.CDLL("libopenblas.so.0")
    before = blas.openblas_get_num_threads()
    serial = [mercer.KernelPCA(2, kernel="rbf", gamma=0.1 + 0.01 * i).fit(X).transform(X) for i in range(50)]
    found = [None] * 50

    def work(i):
        found[i] = mercer.KernelPCA(2, kernel="rbf", gamma=0.1 + 0.01 * i).fit(X).transform(X)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(one, other) for one, other in zip(serial, found))
    assert blas.openblas_get_num_threads() == before


def test_other_threads_go_on_during_a_fit():
    rows = np.random.default_rng(0).standard_normal((3000, 40))
    counted, done = [0], threading.Event()

    def count():
        while not done.wait(0.001):
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    start = time.monotonic()
    while time.monotonic() - start < 0.4:
        mercer.KernelPCA(20, kernel="rbf", tolerance=1e-10).fit(rows)
    seconds = time.monotonic() - start
    done.set()
    thread.join()
    assert counted[0] > 50 * seconds  # of about 900 a second


def test_rows_are_not_copied():
    """The most memory a fit takes beside rows of 400 MB."""
    code = """
import json, resource, numpy as np, mercer
X = np.empty((1_600_000, 64), np.float32)
block = np.random.default_rng(0).standard_normal((16_000, 64), dtype=np.float32) * np.linspace(3, 1, 64, dtype=np.float32)
for start in range(0, len(X), len(block)):
    X[start:start + len(block)] = block
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
before, taken = peak(), {}
mercer.PCA(2, n_jobs=2).fit(X)
taken["pca"] = peak() - before
mercer.PCA(2, n_jobs=2).fit(X).transform(X[:1000])
mercer.KernelPCA(2, copy_X=False, n_jobs=2, certify="none").fit(X[:100_000])
taken["kernel pca"] = peak() - before
print(json.dumps(taken))
"""
    taken = python(code)
    assert taken["pca"] < 100 and taken["kernel pca"] < 150, taken


def test_a_fit_leaves_the_process_as_it_was():
    """Signal handlers, locale, processors, rounding and numbers below the normal ones, the BLAS's threads."""
    import ctypes
    import locale
    blas, c = ctypes.CDLL("libopenblas.so.0"), ctypes.CDLL(None)

    def state():
        handlers = []
        for number in range(1, signal.NSIG):
            held = ctypes.create_string_buffer(256)
            known = c.sigaction(number, None, held) == 0
            handlers.append(held.raw[:16] + held.raw[136:140] if known else None)  # handler, mask and flags
        small = np.array([5e-324, 2.2250738585072014e-308])
        return (handlers, locale.setlocale(locale.LC_ALL), os.sched_getaffinity(0), c.fegetround() if hasattr(c, "fegetround")
                else ctypes.CDLL("libm.so.6").fegetround(), (small * 0.5 + small * 0.5).tolist(), (small / 2).tolist(),
                blas.openblas_get_num_threads(), np.geterr(), dict(os.environ), os.getcwd())

    before = state()
    kpca = mercer.KernelPCA(3, kernel="rbf", n_jobs=2).fit(X)
    mercer.plot(kpca, X).png()
    mercer.KernelLDA().fit(X, np.arange(len(X)) % 2).predict(X)
    with pytest.raises(ValueError):
        kpca.fit(np.full((5, 2), np.nan))
    assert state() == before
