"""filters_lib against SciPy: random coefficients, orders up to 8, to 1e-10 of the numbers' own size.

The example program `filter_lines` is found in $GAITWAY_BIN_DIR/examples (or $GAITWAY_BIN_DIR), else built by cargo.
"""
import math
import os
import pathlib
import subprocess
from fractions import Fraction

import numpy as np
import pytest
from scipy import linalg, signal

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOLERANCE = 1e-10


def command():
    folder = os.environ.get("GAITWAY_BIN_DIR")
    if folder:
        for place in (pathlib.Path(folder) / "examples", pathlib.Path(folder)):
            if (place / "filter_lines").exists():
                return [str(place / "filter_lines")]
        pytest.fail(f"no filter_lines in GAITWAY_BIN_DIR={folder}")
    return ["cargo", "run", "-q", "-p", "filters_lib", "--example", "filter_lines"]


def ask(requests):
    """One array of numbers for each request line."""
    done = subprocess.run(command(), cwd=ROOT, input="\n".join(requests) + "\n", text=True, capture_output=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == len(requests), done.stderr
    for request, line in zip(requests, lines):
        assert not line.startswith("error"), f"{request[:80]}: {line}"
    return [np.array(line.split(), dtype=float) for line in lines]


def text(*numbers):
    return " ".join(repr(float(n)) for n in np.concatenate([np.atleast_1d(n) for n in numbers]))


def worst(pairs):
    """Largest difference relative to the largest expected number (at least 1)."""
    return max(np.max(np.abs(got - want)) / max(1.0, np.max(np.abs(want))) for got, want in pairs)


def check(name, pairs):
    error = worst(pairs)
    print(f"{name}: {len(pairs)} cases, worst relative error {error:.2e}")
    assert error < TOLERANCE


def stable_polynomial(rng, order):
    """Coefficients with all roots inside the circle of radius 0.95, times a random a0."""
    pairs, single = divmod(order, 2)
    roots = []
    for _ in range(pairs):
        radius, angle = rng.uniform(0.0, 0.95), rng.uniform(0, np.pi)
        roots += [radius * np.exp(1j * angle), radius * np.exp(-1j * angle)]
    roots += list(rng.uniform(-0.95, 0.95, single))
    return np.real(np.poly(roots)) * rng.choice([-1, 1]) * rng.uniform(0.5, 3.0)


def test_transfer_function_equals_lfilter():
    rng = np.random.default_rng(1)
    requests, expected = [], []
    for case in range(900):
        order = case % 9
        a = np.atleast_1d(stable_polynomial(rng, order))
        b = rng.normal(size=rng.integers(1, 10))
        u = rng.normal(size=200)
        requests.append(f"lfilter {text(b)} ; {text(a)} ; {text(u)}")
        expected.append(signal.lfilter(b, a, u))
    check("lfilter", list(zip(ask(requests), expected)))


def exact_savgol(window, order, derivative, period):
    """The least-squares weights in rational arithmetic, rounded once at the end; newest sample first."""
    times = [Fraction(-i) for i in range(window)]
    rows = [[sum(t ** (i + j) for t in times) for j in range(order + 1)] for i in range(order + 1)]
    for i, row in enumerate(rows):
        row.append(Fraction(i == derivative))
    for i in range(order + 1):
        pivot = next(r for r in range(i, order + 1) if rows[r][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for r in range(order + 1):
            if r != i and rows[r][i] != 0:
                rows[r] = [v - rows[r][i] * w for v, w in zip(rows[r], rows[i])]
    scale = math.factorial(derivative) / period**derivative
    return np.array([float(sum(row[-1] * t**i for i, row in enumerate(rows))) * scale for t in times])


def test_savitzky_golay_equals_savgol_coeffs():
    """SciPy solves a plain Vandermonde system, which for high degrees costs it more digits than the tolerance. So every
    case is compared with the exact solution, and with SciPy wherever SciPy itself is exact enough."""
    rng = np.random.default_rng(2)
    requests, expected, exact = [], [], []
    for _ in range(900):
        order = int(rng.integers(0, 9))
        window = int(rng.integers(order + 1, order + 25))
        derivative = int(rng.integers(0, order + 1))
        period = float(rng.uniform(0.5, 2.0))
        requests.append(f"savgol {window} {order} {derivative} {period!r}")
        weights = signal.savgol_coeffs(window, order, deriv=derivative, delta=period, pos=window - 1, use="dot")
        expected.append(weights[::-1])
        exact.append(exact_savgol(window, order, derivative, period))
    got = ask(requests)
    check("savgol against exact rational arithmetic", list(zip(got, exact)))
    good = [(g, s) for g, s, e in zip(got, expected, exact) if worst([(s, e)]) < TOLERANCE / 10]
    print(f"SciPy's own worst relative error: {worst(list(zip(expected, exact))):.2e}")
    assert len(good) > 500
    check("savgol_coeffs where SciPy is exact enough", good)


def discretised(numerator, denominator, period, method, **options):
    b, a, _ = signal.cont2discrete((numerator, denominator), period, method=method, **options)
    return b.flatten(), a


def test_continuous_links_equal_cont2discrete():
    rng = np.random.default_rng(3)
    requests, expected = [], []
    for _ in range(200):
        tau, lead, gain = 10 ** rng.uniform(-1.5, 0.5), rng.uniform(0.0, 2.0), rng.normal()
        period = tau * 10 ** rng.uniform(-2, 1)
        u = rng.normal(size=100)
        cases = [
            (f"lag {text(period, tau)}", discretised([1.0], [tau, 1.0], period, "zoh")),
            (f"leadlag {text(period, gain, lead, tau)}", discretised([gain * lead, gain], [tau, 1.0], period, "zoh")),
            (f"inertial {text(period, tau)}", discretised([1.0, 0.0], [tau, 1.0], period, "foh")),
        ]
        frequency, quality = rng.uniform(0.01, 0.45) / period, rng.uniform(0.3, 5.0)
        warped = 2.0 / period * np.tan(np.pi * frequency * period)
        low_pass = discretised([warped**2], [1.0, warped / quality, warped**2], period, "bilinear")
        cases.append((f"biquad {text(period, frequency, quality)}", low_pass))
        for request, (b, a) in cases:
            requests.append(f"{request} ; {text(u)}")
            expected.append(signal.lfilter(b, a, u))
    check("cont2discrete", list(zip(ask(requests), expected)))


def test_biquads_equal_cont2discrete():
    rng = np.random.default_rng(5)
    requests, expected = [], []
    for _ in range(200):
        period = 10 ** rng.uniform(-3, 0)
        frequency, quality = rng.uniform(0.01, 0.45) / period, rng.uniform(0.3, 5.0)
        w, u = 2.0 / period * np.tan(np.pi * frequency * period), rng.normal(size=100)
        kinds = {"highpass": [1.0, 0.0, 0.0], "bandpass": [w / quality, 0.0], "notch": [1.0, 0.0, w**2]}
        for word, numerator in kinds.items():
            b, a = discretised(numerator, [1.0, w / quality, w**2], period, "bilinear")
            requests.append(f"{word} {text(period, frequency, quality)} ; {text(u)}")
            expected.append(signal.lfilter(b, a, u))
    check("biquads", list(zip(ask(requests), expected)))


def butterworth_gain(order, kind, edges, f):
    """|H| of the definition, at f of the sampling frequency; edges prewarped."""
    w = np.tan(np.pi * f)
    if kind < 2:
        x = w / np.tan(np.pi * edges[0])
        return 1 / np.sqrt(1 + (x if kind == 0 else 1 / x) ** (2 * order))
    a, b = np.tan(np.pi * edges[0]), np.tan(np.pi * edges[1])
    x = np.abs((w * w - a * b) / (w * (b - a)))
    return 1 / np.sqrt(1 + (x if kind == 2 else 1 / x) ** (2 * order))


def test_butterworth_equals_butter():
    """Order 1 to 12, all four bands: the impulse response against SciPy's, and its spectrum against the definition. SciPy's
    design loses digits for wide stop bands of high order (7e-9); there the definition alone is the measure."""
    rng = np.random.default_rng(6)
    requests, expected, exact = [], [], []
    f = np.fft.rfftfreq(4096)[1:-1]
    impulse = np.zeros(4096)
    impulse[0] = 1.0
    for case in range(300):
        order, kind = 1 + case % 12, (case // 12) % 4
        edges = [rng.uniform(0.02, 0.2), rng.uniform(0.25, 0.44)][: 1 if kind < 2 else 2]
        name = ["lowpass", "highpass", "bandpass", "bandstop"][kind]
        sections = signal.butter(order, edges if kind > 1 else edges[0], btype=name, fs=1.0, output="sos")
        requests.append(f"butter {text(1.0, order, kind, edges)} ; {text(impulse)}")
        expected.append(signal.sosfilt(sections, impulse))
        exact.append(butterworth_gain(order, kind, edges, f))
    got = ask(requests)
    spectrum = lambda y: np.abs(np.fft.rfft(y))[1:-1]
    check("butter against its definition", [(spectrum(g), e) for g, e in zip(got, exact)])
    good = [(g, s) for g, s, e in zip(got, expected, exact) if worst([(spectrum(s), e)]) < TOLERANCE / 10]
    assert len(good) > 250
    check("butter where SciPy is exact enough", good)


def test_jerk_limit_takes_no_longer_than_ruckig():
    """Rest to rest: Ruckig's time is the shortest there is. The limiter plans to brake with 95 % of the acceleration and
    moves in whole periods: it may take 6 % and some periods longer, and never less."""
    ruckig = pytest.importorskip("ruckig")
    rng = np.random.default_rng(7)
    requests, shortest, periods = [], [], []
    for _ in range(300):
        period = 10 ** rng.uniform(-3, -2)
        v, a, j = rng.uniform(0.3, 3.0), rng.uniform(1.0, 10.0), rng.uniform(20.0, 300.0)
        target = rng.uniform(0.05, 3.0) * rng.choice([-1, 1])
        wanted = ruckig.InputParameter(1)
        wanted.current_position, wanted.target_position = [0.0], [target]
        wanted.max_velocity, wanted.max_acceleration, wanted.max_jerk = [v], [a], [j]
        trajectory = ruckig.Trajectory(1)
        ruckig.Ruckig(1).calculate(wanted, trajectory)
        steps = int(2.0 * trajectory.duration / period) + 50
        requests.append(f"jerk {text(period, v, a, j)} ; {text(np.full(steps, target))}")
        shortest.append((trajectory.duration, target))
        periods.append(period)
    ratios = []
    for y, (duration, target), period in zip(ask(requests), shortest, periods):
        late = np.nonzero(np.abs(y - target) > 1e-6)[0]
        taken = (late[-1] + 2) * period
        ratios.append(taken / duration)
        assert taken >= duration - 2 * period - 0.02 * duration, "faster than the fastest"
        assert taken <= 1.06 * duration + 12 * period, (taken, duration, period)
    print(f"jerk limit over Ruckig's time: mean {np.mean(ratios):.3f}, worst {np.max(ratios):.3f}")


def test_second_order_transient_equals_the_matrix_exponential():
    rng = np.random.default_rng(4)
    requests, expected = [], []
    for case in range(500):
        tau, damping = 10 ** rng.uniform(-1, 0.5), 1.0 if case % 10 == 0 else rng.uniform(0.1, 4.0)
        a0, a1, period = 1 / tau**2, 2 * damping / tau, tau * 10 ** rng.uniform(-3, 1)
        x = rng.normal(size=2)
        requests.append(f"second {text(period, a0, a1)} ; {text(x)}")
        expected.append(linalg.expm(np.array([[0, 1], [-a0, -a1]]) * period) @ x)
    check("expm", list(zip(ask(requests), expected)))
