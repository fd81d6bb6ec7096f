"""Computing orders of PyTorch's own schedule classes, without processes: cases as JSON in, orders by rank as JSON out.

A case is {"schedule": class name, "ranks": p, "stages": S, "microbatches": m}. The answer of a case that PyTorch refuses is its message.
"""

import json
import sys
import types

import torch
from torch.distributed.pipelining import schedules


def stage(index, case):
    own = {"stage_index": index, "num_stages": case["stages"], "group_size": case["ranks"], "group_rank": 0}
    flags = {"is_first": index == 0, "is_last": index == case["stages"] - 1, "has_backward": True}
    return types.SimpleNamespace(**own, **flags, submod=torch.nn.Identity())


def order_of(case):
    kind = getattr(schedules, case["schedule"])
    own = [stage(index, case) for index in range(case["stages"] // case["ranks"])]
    single = issubclass(kind, schedules.PipelineScheduleSingle)
    made = kind(own[0] if single else own, case["microbatches"], loss_fn=lambda output, target: output)
    rows = made._get_pipeline_order() if single else made.pipeline_order
    names = [[str(action) for action in rows[rank] if action is not None] for rank in range(case["ranks"])]
    return [[name for name in row if "REDUCE_GRAD" not in name] for row in names]


answers = []
for one in json.load(sys.stdin):
    try:
        answers.append(order_of(one))
    except (ValueError, AssertionError) as fault:
        answers.append(str(fault))
json.dump(answers, sys.stdout)
