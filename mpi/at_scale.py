"""Runs leat_at_scale on simulated clusters: at_scale.py SMPIRUN PROGRAM --ranks N... -- OPTIONS OF THE PROGRAM

A cluster is N nodes of one rank, joined by one switch that never is full, with the times of QDR InfiniBand. Prints a line of
JSON for each number of ranks.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

LINK = 'bw="3.2GBps" lat="0.7us" sharing_policy="SPLITDUPLEX"'  # each way has two of them

OPTIONS = {
    # Time passes by work_ns and by calls of MPI alone, so that a run says the same on any machine.
    "smpi/simulate-computation": "no",
    "smpi/host-speed": "1Gf",
    "smpi/cpu-threshold": "0",
    # A link is as fast as it says it is.
    "smpi/lat-factor": "0:1",
    "smpi/bw-factor": "0:1",
    # What a look at messages or at a request takes.
    "smpi/iprobe": "1e-6",
    "smpi/test": "1e-6",
    "smpi/grow-injected-times": "no",
    "smpi/coll-selector": "mpich",
}


def platform(ranks):
    return f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="node" suffix="" radical="0-{ranks - 1}" speed="1Gf" {LINK}/>
</platform>
"""


def simulate(smpirun, program, ranks, words):
    """What the program wrote, with as many ranks."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "platform.xml").write_text(platform(ranks), encoding="utf-8")
        (place / "hosts").write_text("".join(f"node{rank}\n" for rank in range(ranks)), encoding="utf-8")
        command = [smpirun, "-np", str(ranks), "-platform", str(place / "platform.xml"), "-hostfile", str(place / "hosts")]
        command += [f"--cfg={name}:{value}" for name, value in OPTIONS.items()]
        command += ["--log=root.thres:error", program, *words]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def main():
    before, _, words = " ".join(sys.argv[1:]).partition(" -- ")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("smpirun")
    parser.add_argument("program")
    parser.add_argument("--ranks", type=int, nargs="+", default=[32])
    given = parser.parse_args(before.split())
    for ranks in given.ranks:
        print(simulate(given.smpirun, given.program, ranks, words.split()).strip(), flush=True)


if __name__ == "__main__":
    main()
