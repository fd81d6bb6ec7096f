import type { PipelinePlan } from '../../engine/values/plan.ts';
import type { Program } from '../../engine/values/program.ts';
import { findPolicy } from '../../engine/policies/registry.ts';
import { shapeOf } from '../../engine/policies/shape.ts';
import { generate, programOf } from '../../engine/schedule/generate.ts';
import { simulate } from '../../engine/simulate/simulate.ts';
import type { Timeline } from '../../engine/values/timeline.ts';
import { timingOf } from '../../engine/simulate/timing.ts';
import { measure } from '../measure.ts';
import { oneFOneB, zbH1 } from '../reference/orders.ts';
import * as reference from '../reference/simulate.ts';
import { rate, type Row, type Table } from '../rows.ts';
import { planOf } from '../workloads/analysis.ts';
import { pipelineFile } from '../workloads/files.ts';

/** Plan → timeline. An order that looks at no cost is kept, as after an edit of a cost. */
export function ours(plan: PipelinePlan): Timeline {
  const generated = generate(plan);
  if ('faults' in generated) throw new Error(generated.faults[0]?.message);
  const timeline = simulate(generated.program, timingOf(plan, generated.program));
  if (timeline === undefined) throw new Error('The schedule waits for itself.');
  return timeline;
}

/** The order of a built-in policy, made anew. */
function ordered(plan: PipelinePlan): Program {
  const policy = findPolicy(plan.schedule.name);
  if (policy === undefined) throw new Error(`No policy is called ${plan.schedule.name}.`);
  return programOf(policy, shapeOf(plan));
}

/** The same with the plain simulator. */
export function plain(plan: PipelinePlan): number {
  const orders = plan.schedule.name === 'zb_h1' ? zbH1 : oneFOneB;
  const [route] = plan.routes;
  const [edge] = plan.edges;
  const by = (cost: (stage: PipelinePlan['stages'][number]) => number) => plan.stages.map(cost);
  const duration = {
    F: by((stage) => stage.forward),
    B: by((stage) => stage.backwardInput + stage.backwardWeight),
    I: by((stage) => stage.backwardInput),
    W: by((stage) => stage.backwardWeight),
  };
  const transfer = route === undefined || edge === undefined ? 0 : edge.bytes / route.bandwidth + route.latency;
  return reference.makespan(reference.simulate(orders(plan.devices.length, plan.microbatches), { duration, transfer }));
}

const devices = 16;

export function simulateTable(): Table {
  const rates = new Map<string, number>();
  const rows: Row[] = [];
  for (const schedule of ['1f1b', 'zb_h1']) {
    for (const operations of [1e4, 1e5, 1e6]) {
      const kinds = schedule === '1f1b' ? 2 : 3;
      const plan = planOf(
        pipelineFile({ devices, microbatches: Math.round(operations / (kinds * devices)), schedule }),
      );
      const mine = measure(() => ours(plan));
      const theirs = measure(() => plain(plan));
      const timeline = ours(plan);
      const expected = plain(plan);
      if (Math.abs(timeline.makespan - expected) > 1e-9 * expected)
        throw new Error(`The makespans differ: ${timeline.makespan} and ${expected} seconds.`);
      const count = timeline.program.order.length;
      const ratio = theirs.best / mine.best;
      rates.set(`${schedule} ${operations}`, count / mine.best);
      rows.push({
        cells: [
          schedule,
          count.toLocaleString('en-US'),
          rate((1e3 * count) / mine.first),
          rate((1e3 * count) / mine.best),
          rate((1e3 * count) / theirs.best),
          `${ratio.toFixed(0)}×`,
        ],
        took: mine.best,
        goal: { text: '≥ 30×', met: ratio >= 30 },
      });
    }
    const kept = (rates.get(`${schedule} 1000000`) ?? 0) / (rates.get(`${schedule} 10000`) ?? 1);
    rows.push({
      cells: [schedule, 'rate at 10⁶ / at 10⁴', '', `${(100 * kept).toFixed(0)} %`, '', ''],
      goal: { text: '≥ 40 %', met: kept >= 0.4 },
    });
  }
  return {
    title: `Schedule + simulate, p = ${devices}`,
    head: ['policy', 'operations', 'first call', 'ours', 'reference', 'ratio'],
    rows,
  };
}

/** Orders alone. */
export function orderTable(): Table {
  const rows = ['1f1b', 'zb_h1', 'zb_h2'].map((schedule) => {
    const plan = planOf(pipelineFile({ devices, microbatches: 20_000, schedule }));
    const count = ours(plan).program.order.length;
    const { first, best } = measure(() => ordered(plan));
    const perSecond = (1e3 * count) / best;
    return {
      cells: [schedule, count.toLocaleString('en-US'), rate((1e3 * count) / first), rate(perSecond)],
      goal: schedule === '1f1b' ? undefined : { text: '≥ 3 M/s', met: perSecond >= 3e6 },
    };
  });
  return { title: 'Orders', head: ['policy', 'operations', 'first call', 'operations/s'], rows };
}
