"""The machine of a session, for a reader."""

from weir.base.records import Row


def described(row: Row, heading: str = "The machine") -> dict:
    """Of a row of a machine: what parts.html.j2 shows."""
    host = row["host"]
    quota = host.get("quota")
    rows = {
        "processor": host.get("cpu_model"),
        "kernel": host.get("kernel"),
        "affinity mask": ", ".join(map(str, host.get("affinity") or [])),
        "CPU quota": f"{quota['processors']:g} processors ({quota['source']})" if quota else "none",
        "time-stamp counter": f"{host.get('cycles_per_ns') or 0:.3f} GHz",
        "Weir": f"{host.get('version')}, built by {host.get('compiler')}",
        "measured": row.get("time"),
    }
    return {"heading": heading, "rows": rows, "topology": host.get("topology_text", "")}
