import { defaultOptions } from '../../engine/basics/host.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { findPolicy } from '../../engine/policies/registry.ts';
import { resolve } from '../../engine/flow/resolve.ts';
import { generate } from '../../engine/schedule/generate.ts';
import { scheduleTexts } from '../../engine/std/scheduleTexts.ts';
import { parse } from '../../grammar/index.ts';
import { measure } from '../measure.ts';
import { ms, type Row, type Table } from '../rows.ts';
import { noFiles, uri } from '../workloads/analysis.ts';
import { pipelineFile } from '../workloads/files.ts';

const devices = 16;

/** Syntax tree → plan → order, with built-in schedules in code and with their texts in the file. */
export function textsTable(): Table {
  const rows: Row[] = [];
  for (const [schedule, text] of scheduleTexts) {
    const policy = findPolicy(schedule);
    // Asynchronous schedules run as many iterations as they need: their size is not chosen here.
    if (policy === undefined || policy.weights !== undefined) continue;
    const cells = [schedule];
    for (const operations of [1e3, 1e4, 1e5, 1e6]) {
      const chunks = policy.chunks({});
      const kinds = policy.split ? 3 : 2;
      const microbatches = devices * Math.max(2, Math.round(operations / (kinds * devices * devices * chunks)));
      const file = pipelineFile({ devices, microbatches, schedule, chunks });
      const inCode = timeOf(file);
      const asText = timeOf(`${text}\n${file}`);
      cells.push(ms(inCode), ms(asText));
    }
    rows.push({ cells });
  }
  return {
    title: 'Built-in schedules: file → order, in code and as text',
    head: ['schedule', '10³', 'as text', '10⁴', 'as text', '10⁵', 'as text', '10⁶', 'as text'],
    rows,
  };
}

function timeOf(text: string): number {
  const syntax = parse(text);
  const options = { ...defaultOptions, limits: { ...defaultOptions.limits, operations: 1e8 } };
  const run = (): unknown => {
    const [plan] = resolve({ uri, syntax, host: noFiles, options }).plan.pipelines;
    return order(plan);
  };
  return measure(run, { rounds: 3, atLeast: 20 }).best;
}

function order(plan: PipelinePlan | undefined): unknown {
  const generated = plan === undefined ? undefined : generate(plan);
  if (generated === undefined || 'faults' in generated) throw new Error('no order');
  return generated.program;
}
