import type { PipelinePlan } from '../../values/plan.ts';
import { count } from '../../basics/quantities.ts';
import { pythonString } from '../program/pythonString.ts';
import type { Program } from '../../values/program.ts';

/** What the program is, how to call it and what of the plan it leaves out (`notes`), then its imports. */
export function header(
  { devices, data }: PipelinePlan,
  { stages, microbatches }: Program,
  notes: readonly string[],
): string {
  const world = devices.length * data;
  const what = [
    ...(data > 1 ? [`${count(data, 'pipeline', 'pipelines')} of`] : []),
    count(devices.length, 'rank', 'ranks'),
    count(stages, 'stage', 'stages'),
    count(microbatches, 'microbatch', 'microbatches'),
  ];
  return `#!/usr/bin/env python3
"""A pipeline schedule on torch.distributed.pipelining: ${what.join(', ').replace(' of,', ' of')}.

    torchrun --nproc-per-node ${world} SCRIPT [OPTIONS]
    python SCRIPT --spawn [OPTIONS]                 the same without torchrun

    --model FILE.py      your stages: make_stage(index, layers), make_input(), make_target(),
                         loss(output, target), and make_optimizer(parameters) if weights change
    --check              compare the first step with the unpipelined model
    --steps N            run N steps
    --profile DIR        write a trace of each rank: DIR/rank0.json and so on

Needs PyTorch with torch.distributed.pipelining, and numpy. Uses nccl where each process of a
node has a separate GPU, otherwise gloo on the CPU. Written by Pipewright.

The table is the schedule below. What this program does not have of the plan:

${notes.map(listed).join('\n')}
"""

import argparse
import contextlib
import importlib.util
import os
import sys
import tempfile
import warnings

import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.pipelining import PipelineStage
from torch.distributed.pipelining.schedules import _PipelineScheduleRuntime
`;
}

/** An item of a list in lines of the usual length. Names of the file are escaped, so that none of them ends the string. */
function listed(note: string): string {
  const lines: string[] = [];
  let line = '-';
  for (const word of pythonString(note).slice(1, -1).split(' ')) {
    if (line.length + word.length >= mostColumns) {
      lines.push(line);
      line = ' ';
    }
    line += ` ${word}`;
  }
  return [...lines, line].join('\n');
}

const mostColumns = 96;
