"""Loads tables as PyTorch does before it runs them, without processes: cases as JSON in, what each rank computes as JSON out.

A case is {"ranks": p, "stages": S, "microbatches": m, "table": CSV, "format": "compute_only" or "compute_comms"}. The answer of a
table that PyTorch refuses is its message.
"""

import json
import os
import sys
import tempfile
import types

import torch
from torch.distributed.pipelining import schedules


def stage(index, case):
    own = {"stage_index": index, "num_stages": case["stages"], "group_size": case["ranks"], "group_rank": 0}
    flags = {"is_first": index == 0, "is_last": index == case["stages"] - 1, "has_backward": True}
    return types.SimpleNamespace(**own, **flags, submod=torch.nn.Identity())


def loaded(case, path):
    with open(path, "w", newline="") as file:
        file.write(case["table"])
    runtime = schedules._PipelineScheduleRuntime([stage(0, case)], case["microbatches"], loss_fn=lambda output, target: output)
    runtime._load_csv(path, format=case["format"])
    computing = (schedules.F, schedules.B, schedules.I, schedules.W, schedules.OVERLAP_F_B)
    rows = runtime.pipeline_order_with_comms
    return [[str(one) for one in rows[rank] if one.computation_type in computing] for rank in range(case["ranks"])]


answers = []
with tempfile.TemporaryDirectory() as folder:
    for one in json.load(sys.stdin):
        try:
            answers.append(loaded(one, os.path.join(folder, "table.csv")))
        except (ValueError, AssertionError, RuntimeError, KeyError) as fault:
            answers.append(f"{type(fault).__name__}: {fault}")
json.dump(answers, sys.stdout)
