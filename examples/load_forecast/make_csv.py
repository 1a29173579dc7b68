#!/usr/bin/env python3
"""Writes load.csv: eight weeks of SYNTHETIC hourly load. The same seed gives the same file.

No meter measured any of this. The load is a base with a slow trend, a daily and a weekly season,
and a weather that wanders from hour to hour (an AR(1) process, as a temperature would).
"""

import datetime
import math
import pathlib
import random

HOURS = 8 * 7 * 24
START = datetime.datetime(2024, 3, 4)  # a Monday


def daily(hour, weekend):
    """Two humps, at about ten and nineteen o'clock; lower and later at the weekend."""
    shift = 1.0 if weekend else 0.0
    morning = math.exp(-(((hour - 10.0 - shift) / 3.2) ** 2))
    evening = math.exp(-(((hour - 19.0) / 2.6) ** 2))
    night = math.exp(-(((hour - 3.5) / 3.0) ** 2))
    return 520.0 * morning + 640.0 * evening - 260.0 * night


def main():
    chance = random.Random(20240304)
    weather = 0.0
    rows = ["timestamp,load_mw"]
    for step in range(HOURS):
        at = START + datetime.timedelta(hours=step)
        weekend = at.weekday() >= 5
        weather = 0.97 * weather + chance.gauss(0.0, 9.0)
        load = 2900.0 + 0.22 * step + weather + chance.gauss(0.0, 14.0)
        load += daily(at.hour, weekend) * (0.72 if weekend else 1.0)
        load -= 210.0 if weekend else 0.0
        rows.append(f"{at:%Y-%m-%dT%H:%M},{load:.1f}")
    target = pathlib.Path(__file__).with_name("load.csv")
    target.write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
