"""Figures as the tables show them."""


def short(value, unit):
    """A figure with its unit, three digits of it."""
    if unit == "us":
        for step, name in ((1e6, "s"), (1e3, "ms")):
            if value >= step:
                return f"{value / step:.3g} {name}"
        return f"{value:.3g} µs"
    if unit == "B":
        return f"{value:.1f} B"
    if unit == "times":
        return f"{value:.2f}×"
    if unit.endswith("/s"):
        return f"{value:,.0f}/s"
    return f"{value:,.4g} {unit}"


def columns(record):
    """p50, p99, mean and processor time."""
    unit, wall, cpu = record["unit"], record["wall"], record.get("cpu")
    if unit == "requests/s":
        return [short(wall["p50"], "us"), short(wall["p99"], "us"), short(wall["rate"], unit),
                f"{short(cpu['p50'], 'us')} a request"]
    if unit == "B":
        return [short(wall["p50"], unit), "", "", ""]
    processor = f"{short(cpu['p50'], unit)} / {short(cpu['p99'], unit)}" if cpu else ""
    return [short(wall[key], unit) for key in ("p50", "p99", "mean")] + [processor]


def ratio(mine, other, key):
    """How many times as good as the peer.

    By processor time where both have it, since the machine is shared; for HTTP under load the p50
    column compares requests a second, the p99 column the waiting.
    """
    if mine["unit"] == "requests/s":
        if key == "p50":
            return mine["wall"]["rate"] / other["wall"]["rate"]
        return other["wall"][key] / mine["wall"][key]
    clock = "cpu" if "cpu" in mine and "cpu" in other else "wall"
    if mine["unit"].endswith("/s"):
        return mine[clock][key] / other[clock][key]
    return other[clock][key] / mine[clock][key]
