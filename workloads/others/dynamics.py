#!/usr/bin/python3
"""Molecular dynamics of water by GROMACS, as Debian has it: threads, and ranks in one process or over Open MPI."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

import driver

BOX = Path("/usr/share/gromacs/top/spc216.gro")  # 216 molecules, in equilibrium
MOLECULES = 216
TOPOLOGY = """
#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spc.itp"
[ system ]
water
[ molecules ]
SOL {}
"""
# Energy is constant: nothing couples to a bath, interactions end smoothly, and the list of pairs has 0.2 nm to spare.
HOW = """
integrator = md-vv
dt = 0.001
nsteps = {}
cutoff-scheme = verlet
verlet-buffer-tolerance = -1
rlist = 1.0
nstlist = 10
coulombtype = PME
rcoulomb = 0.8
rvdw = 0.8
vdw-modifier = Force-switch
rvdw-switch = 0.7
gen_vel = yes
gen_temp = 300
gen_seed = 1
nstcalcenergy = 10
nstenergy = 10
"""

about = "dynamics: water by GROMACS; OMP_NUM_THREADS threads in each rank."
me = driver.Driver("dynamics", about, python_threads=False)
me.whole("--steps", 60, 10, 10**6, "of a femtosecond each")
me.whole("--boxes", 2, 1, 16, "of 216 molecules in each direction")
me.whole("--ranks", 1, 1, 128, "that share the box")
me.choice("--over", ("threads", "openmpi"), "what ranks are: threads of one process, or processes over Open MPI")
given = me.read()
gmx = me.command("gmx")
launched = (
    [me.command("mpirun.openmpi"), "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", given.ranks]
    if given.over == "openmpi"
    else []
)
run = [me.command("gmx_mpi") if launched else gmx, "-quiet", "mdrun", "-s", "water.tpr", "-g", "water.log"]
run += ["-e", "water.edr", "-ntomp", driver.team(), "-pin", "off", "-reprod"] + ["-ntmpi", given.ranks] * (not launched)

folder = tempfile.TemporaryDirectory(prefix="weir-dynamics-")


def do(words: list[object], own_runtime: bool, given_to_it: str = "") -> None:
    """What prepares and what reads results needs no replaced runtime, nor a team."""
    environment = dict(os.environ)
    if own_runtime:
        environment = {name: value for name, value in environment.items() if not name.startswith(("LD_", "WEIR_"))}
        environment["OMP_NUM_THREADS"] = "1"
    asked = [str(word) for word in words]
    done = subprocess.run(asked, cwd=folder.name, env=environment, input=given_to_it, capture_output=True, text=True)
    if done.returncode != 0:
        said = " ".join(done.stderr.split())[-600:]
        me.finish("nothing", [f"{' '.join(asked[:4])} ended with status {done.returncode}: {said}"])


water = Path(folder.name) / "water"
water.with_suffix(".top").write_text(TOPOLOGY.format(MOLECULES * given.boxes**3))
water.with_suffix(".mdp").write_text(HOW.format(given.steps))
do([gmx, "-quiet", "genconf", "-f", BOX, "-nbox", *[given.boxes] * 3, "-o", "water.gro"], True)
do([gmx, "-quiet", "grompp", "-f", "water.mdp", "-c", "water.gro", "-p", "water.top", "-o", "water.tpr"], True)
before = os.times()
do([*launched, *run], False)
since = os.times()

# The time that GROMACS takes of its steps, without what comes before them; that of processors is the whole program's.
wall = float(re.findall(r"^\s+Time:\s+\S+\s+(\S+)", water.with_suffix(".log").read_text(), re.M)[-1])
me.took(wall, since.children_user + since.children_system - before.children_user - before.children_system)
energies = [gmx, "-quiet", "energy", "-f", "water.edr", "-o", "water.xvg", "-xvg", "none", "-dp"]
do(energies, True, "Kinetic-En.\nTotal-Energy\n\n")
rows = [[float(word) for word in line.split()] for line in water.with_suffix(".xvg").read_text().splitlines()]
kinetic, total = [row[1] for row in rows], [row[2] for row in rows]
drift = max(abs(energy - total[0]) for energy in total) / kinetic[0]
expected = given.boxes**3 * MOLECULES * 3 * 8.314e-3 * 300  # 6 degrees of freedom a rigid molecule, kT/2 each
wrong = []
if not drift <= 2e-3:
    wrong.append(f"total energy changes by {drift:.1e} of the kinetic energy")
if not abs(kinetic[0] / expected - 1) <= 0.05:
    wrong.append(f"the kinetic energy of {kinetic[0]:.4e} kJ/mol is not that of 300 K, {expected:.4e}")
if len(rows) != given.steps // 10 + 1:
    wrong.append(f"{len(rows)} energies are written, not {given.steps // 10 + 1}")
ranks = f"{given.ranks} ranks over {'Open MPI' if launched else 'threads'}"
# Forces have single precision, and are added up as threads and ranks share the box.
what = f"{given.boxes**3 * MOLECULES} molecules, {given.steps} steps"
me.finish(f"{what}, total energy {total[-1]:.3e} kJ/mol", wrong, ranks)
