"""Clusters that are not here: a file for each in machines/clusters, and the platform that SimGrid reads."""

import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from weir.simulation.scenario import machines_folder

TOPOLOGIES = ("crossbar", "fat-tree", "dragonfly")


class BadCluster(ValueError):
    """The message names the file, the key, and what was expected."""


@dataclass(frozen=True)
class Cluster:
    """Times in microseconds. A message takes `send` of its sender's processor, then its way through the network, then
    `receive` of its receiver's; its way is that of `node` (adapters and cables of both nodes) and `switch` for each
    switch, and the cables between."""

    name: str
    about: str
    topology: str
    nodes_per_switch: int
    switches_per_group: int
    machine: str
    most_processes: int
    node: float
    switch: float
    cable: float
    far_cable: float
    loopback: float
    send: float
    receive: float
    gigabits: float

    def hops(self, one: int, other: int) -> list[str]:
        """The cables from switch to switch. A fat tree has as many upper switches as it needs: each pair has a path of
        its own, up and down. A dragonfly's path is minimal: to the switch with the cable to the other group, across,
        and on within that group."""
        if self.topology == "fat-tree":
            return [f"up-{one}", f"up-{other}"]
        group, other_group = one // self.switches_per_group, other // self.switches_per_group
        if group == other_group:
            return [f"local-{min(one, other)}-{max(one, other)}"]
        leaves = group * self.switches_per_group + other_group % self.switches_per_group
        enters = other_group * self.switches_per_group + group % self.switches_per_group
        way = [f"far-{min(group, other_group)}-{max(group, other_group)}"]
        if leaves != one:
            way.insert(0, f"local-{min(one, leaves)}-{max(one, leaves)}")
        if enters != other:
            way.append(f"local-{min(enters, other)}-{max(enters, other)}")
        return way

    def cable_of(self, link: str) -> float:
        """From switch to switch, with what the next switch takes."""
        return self.switch + (self.far_cable if link.startswith("far") else self.cable)


def folder() -> Path:
    return machines_folder() / "clusters"


def named() -> dict[str, Path]:
    return {path.stem: path for path in sorted(folder().glob("*.toml"))}


def find(name: str) -> Cluster:
    """By name, or by the path of a file."""
    path = named().get(name) or Path(name)
    if not os.path.isfile(path):
        raise BadCluster(f"no cluster is called {name!r}; known are {', '.join(named())}, or give a file")
    return _read(path)


def _read(path: Path) -> Cluster:
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadCluster(f"{path}: {error}") from None
    flat = {k: v for k, v in said.items() if not isinstance(v, dict)} | {"name": path.stem}
    for table in ("latency_us", "processor_us"):
        flat |= said.get(table, {})
    for key, kind in Cluster.__annotations__.items():
        if key not in flat:
            raise BadCluster(f"{path}: {key} is missing; machines/clusters/README.md says what it is")
        wanted = (int, float) if kind is float else kind
        if not isinstance(flat[key], wanted) or (kind is not str and flat[key] < 0):
            raise BadCluster(f"{path}: {key} is {flat[key]!r}; expected {kind.__name__}, not below 0")
    if unknown := set(flat) - set(Cluster.__annotations__):
        raise BadCluster(f"{path}: {min(unknown)} is no key; known are {', '.join(Cluster.__annotations__)}")
    if flat["topology"] not in TOPOLOGIES:
        raise BadCluster(f"{path}: topology is {flat['topology']!r}; known are {', '.join(TOPOLOGIES)}")
    if min(flat["nodes_per_switch"], flat["switches_per_group"]) < 1:
        raise BadCluster(f"{path}: nodes_per_switch and switches_per_group begin at 1")
    return Cluster(**flat)


def platform(cluster: Cluster, nodes: int) -> str:
    """For SimGrid: a zone for each switch and its nodes, and the ways between them."""
    across = nodes if cluster.topology == "crossbar" else cluster.nodes_per_switch
    switches = -(-nodes // across)
    return "\n".join(
        [
            "<?xml version='1.0'?>",
            '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
            '<platform version="4.1">',
            '<zone id="cluster" routing="Full">',
            *_switches(cluster, nodes, across),
            *_between(cluster, switches),
            "</zone>",
            "</platform>",
            "",
        ]
    )


def _switches(cluster: Cluster, nodes: int, across: int) -> Iterator[str]:
    speed = f'bw="{cluster.gigabits}Gbps"'
    # A way has two of these, so each carries half of what both nodes and one switch take.
    half = (cluster.node + cluster.switch) / 2
    for number, first in enumerate(range(0, nodes, across)):
        last = min(first + across, nodes) - 1
        yield (
            f'<cluster id="switch-{number}" prefix="node-" suffix="" radical="{first}-{last}" speed="1Gf" {speed} '
            f'lat="{half:.6f}us" loopback_bw="{10 * cluster.gigabits}Gbps" loopback_lat="{cluster.loopback:.6f}us" '
            f'router_id="router-{number}"/>'
        )


def _between(cluster: Cluster, switches: int) -> Iterator[str]:
    ways = {pair: cluster.hops(*pair) for pair in combinations(range(switches), 2)}
    for link in sorted({link for way in ways.values() for link in way}):
        yield f'<link id="{link}" bandwidth="{cluster.gigabits}Gbps" latency="{cluster.cable_of(link):.6f}us"/>'
    for (one, other), way in ways.items():
        links = "".join(f'<link_ctn id="{link}"/>' for link in way)
        ends = f'src="switch-{one}" dst="switch-{other}" gw_src="router-{one}" gw_dst="router-{other}"'
        yield f"<zoneRoute {ends}>{links}</zoneRoute>"


def hosts(nodes: int, per_node: int) -> str:
    """The file that says where ranks go: the first so many on the first node."""
    return "".join(f"node-{n}\n" * per_node for n in range(nodes))
