/** A recording of a simulation: what a run would be if it went as its plan says. */
import { traceParts } from '../../engine/drawing/trace.ts';
import { assemble } from '../../engine/formats/kineto/assemble.ts';
import { traceReader } from '../../engine/formats/kineto/read.ts';
import type { Run } from '../../engine/schedule/evaluation.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import type { Recording } from '../../engine/values/recording.ts';

export function simulatedRun(plan: PipelinePlan, run: Run): Recording {
  const reader = traceReader('trace.json');
  for (const part of traceParts(plan, run, { file: 'plan.pipe', version: '0' }))
    reader.push(new Uint8Array(Buffer.from(part)));
  const traces = reader.end();
  const assembled = 'message' in traces ? { faults: [traces] } : assemble(traces);
  if ('faults' in assembled) throw new Error(assembled.faults[0].message);
  const [recording, ...others] = assembled.recordings;
  if (others.length > 0) throw new Error(`${others.length + 1} pipelines ran`);
  return recording;
}
