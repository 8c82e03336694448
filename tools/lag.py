"""How late a joint is, and how far off."""

import numpy


def lag_and_error(commanded, true):
    """(lag in s, RMS at that lag, RMS as it is) of one joint; both are arrays of (time, position)."""
    t, q = commanded
    inner = (true[0] > t[0] + 0.3) & (true[0] < t[-1] - 0.3)
    at, is_ = true[0][inner], true[1][inner]
    rms = lambda lag: float(numpy.sqrt(numpy.mean((numpy.interp(at - lag, t, q) - is_) ** 2)))
    coarse = min(numpy.arange(-0.15, 0.25, 0.002), key=rms)
    lag = min(numpy.arange(coarse - 0.003, coarse + 0.003, 0.0002), key=rms)
    return float(lag), rms(lag), rms(0.0)
