import type { PipelinePlan } from '../../values/plan.ts';
import { count } from '../../basics/quantities.ts';
import { pythonString } from './pythonString.ts';
import type { Program } from '../../values/program.ts';

/** What the program is, how to call it and what of the plan it leaves out (`notes`), then its imports. */
export function header({ devices }: PipelinePlan, { stages, microbatches }: Program, notes: readonly string[]): string {
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

The table is the schedule below. What this program does not have of the plan:

${notes.map(listed).join('\n')}
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
