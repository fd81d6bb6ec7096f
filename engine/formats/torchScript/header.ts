import type { PipelinePlan } from '../../plan.ts';
import { count } from '../../quantities.ts';
import type { Program } from '../../program.ts';

/** What the program is and how to call it, then its imports. Names of the file are not here but in string literals. */
export function header({ devices }: PipelinePlan, { stages, microbatches }: Program): string {
  const what = [
    count(devices.length, 'rank', 'ranks'),
    count(stages, 'stage', 'stages'),
    count(microbatches, 'microbatch', 'microbatches'),
  ];
  return `#!/usr/bin/env python3
"""A pipeline schedule on torch.distributed.pipelining: ${what.join(', ')}.

    torchrun --nproc-per-node ${devices.length} SCRIPT            run one step
    torchrun --nproc-per-node ${devices.length} SCRIPT --check    and compare it with the unpipelined model
    python SCRIPT --spawn --check${' '.repeat(String(devices.length).length)}             the same without torchrun

Needs PyTorch with torch.distributed.pipelining, and numpy. Uses nccl where each process of a
node has a separate GPU, otherwise gloo on the CPU. Written by Pipewright.
"""

import argparse
import contextlib
import os
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing
from torch.distributed.pipelining import PipelineStage
from torch.distributed.pipelining.schedules import _PipelineScheduleRuntime
`;
}
