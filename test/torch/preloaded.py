"""Runs Python programs one after the other, each in a process forked from this one, which has imported PyTorch: that takes seconds.

Input: a line of JSON for each program, {"args": as for python, "input": for its standard input}. Output: a line for each,
{"status", "out", "err"}.
"""

import json
import os
import runpy
import sys
import tempfile
import traceback

import torch.distributed.pipelining.schedules  # noqa: F401
import torch.multiprocessing  # noqa: F401


def run(args):
    """Runs a program as `python` does; returns its exit status."""
    try:
        if args[0] == "-c":
            sys.argv = ["-c", *args[2:]]
            exec(compile(args[1], "<string>", "exec"), {"__name__": "__main__"})
        else:
            sys.argv = list(args)
            sys.path.insert(0, os.path.dirname(args[0]))
            runpy.run_path(args[0], run_name="__main__")
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def answer(args, text):
    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.join(folder, name) for name in ("in", "out", "err")]
        with open(names[0], "w") as file:
            file.write(text)
        child = os.fork()
        if child == 0:
            for number, name in enumerate(names):
                os.dup2(os.open(name, os.O_RDWR | os.O_CREAT), number)
            status = run(args)
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
        _, waited = os.waitpid(child, 0)
        out, err = (open(name, encoding="utf-8").read() for name in names[1:])
        return {"status": os.waitstatus_to_exitcode(waited), "out": out, "err": err}


# A program's own input must not take the lines that follow.
for line in iter(sys.stdin.readline, ""):
    asked = json.loads(line)
    print(json.dumps(answer(asked["args"], asked["input"])), flush=True)
