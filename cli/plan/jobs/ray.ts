import { type Job, partThreads } from './job.ts';

/** A program for Ray. A text of JSON is a text of Python. */
export function rayJob({ options, operands, merge, parts, threads = partThreads }: Job): string {
  const words = (list: readonly string[]): string => JSON.stringify(list);
  return `"""Searches the parts on the machines of Ray. Start it again to go on with parts that were stopped."""

import os
import shlex
import subprocess
import sys

import ray

PARTS = ${parts}
THREADS = ${threads}
OPTIONS = ${words(options)}
OPERANDS = ${words(operands)}
MERGE = ${words(merge)}
# How to start Pipewright, if it is not on the path.
PROGRAM = shlex.split(os.environ.get("PIPEWRIGHT", "pipewright"))
# A folder that all machines share.
FOLDER = os.getcwd()

ray.init()
# A task that asks for more CPUs than any machine has would wait for ever.
largest = max((int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]), default=0)
if largest < 1:
    sys.exit("No machine of Ray has a CPU.")
threads = min(THREADS, largest)


@ray.remote(num_cpus=threads)
def search(part):
    numbers = [f"--threads={threads}", f"--shard={part}/{PARTS}", "--"]
    done = subprocess.run(
        [*PROGRAM, "plan", *OPTIONS, *numbers, *OPERANDS],
        cwd=FOLDER,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    )
    return done.returncode, done.stderr


waiting = {search.remote(part): part for part in range(1, PARTS + 1)}
failed = []
while waiting:
    for task in ray.wait(list(waiting))[0]:
        part = waiting.pop(task)
        try:
            status, said = ray.get(task)
        except ray.exceptions.RayError as error:
            status, said = 1, f"{error}\\n"
        if status != 0:
            failed.append(part)
            print(f"Part {part} of {PARTS} ended with status {status}:\\n{said}", end="", file=sys.stderr)

front = subprocess.run([*PROGRAM, "plan", *MERGE], cwd=FOLDER)
sys.exit(1 if failed else front.returncode)
`;
}
