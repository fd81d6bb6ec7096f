/** `on(s, j)`: copies of stages that follow from a function, and what it may not say. */
import { describe, expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { dependenciesOf } from '../../../engine/order/dependencies.ts';
import { unpack } from '../../../engine/basics/packed.ts';
import { generate } from '../../../engine/schedule/generate.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { memoryPeak } from '../../../engine/simulate/memory.ts';
import { simulate } from '../../../engine/simulate/simulate.ts';
import { timingOf } from '../../../engine/simulate/timing.ts';
import { exportTorch } from '../../../engine/formats/torchCsv/export.ts';
import { checkFindings } from '../../support/expected.ts';
import { resolveText } from '../../support/resolve.ts';
import { pipelineOf } from './written.ts';

type Shape = NonNullable<Parameters<typeof pipelineOf>[1]>;

function planOf(body: string, shape: Shape = {}) {
  const { plan, findings } = resolveText(pipelineOf(`schedule mine { ${body} }`, shape));
  const [pipeline] = plan.pipelines;
  if (pipeline === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return pipeline;
}

/** Stage, device and microbatches of each copy, `0@1:2k+1` for those that run every second microbatch from 1. */
const copies = (body: string, shape?: Shape): readonly string[] => {
  const { stages, placement } = planOf(body, shape);
  return stages.map(({ copy }, index) =>
    copy === undefined
      ? `${index}@${placement[index]}`
      : `${copy.stage}@${placement[index]}:${copy.every}k+${copy.first}${copy.spare === true ? ' spare' : ''}`,
  );
};

const rule = 'order = greedy(prefer = [B, F])';

describe('copies', () => {
  it('has none where a stage is always on one device', () => {
    expect(copies(`on(s, j) = devices - 1 - s  ${rule}`)).toEqual(['0@1', '1@0']);
  });
  it('has a copy for each direction', () => {
    const both = `on(s, j) = if(mod(j, 2) == 0, s, devices - 1 - s)  ${rule}`;
    expect(copies(both)).toEqual(['0@0:2k+0', '1@1:2k+0', '0@1:2k+1', '1@0:2k+1']);
    expect(copies(both)).toEqual(copies(`placement = bidirectional  ${rule}`));
  });
  it('has the copies of microbatches that are not there yet', () => {
    const turns = `on(s, j) = mod(j, devices)  ${rule}`;
    const shape = { devices: 4, microbatches: 1 };
    expect(copies(turns, shape)).toEqual(copies(turns, { ...shape, microbatches: 64 }));
    expect(copies(turns, shape)).toHaveLength(16);
  });
  it('joins turns that come back evenly', () => {
    expect(copies(`on(s, j) = if(mod(j, 4) == 1, 1, if(mod(j, 4) == 3, 1, 0))  ${rule}`)).toEqual(
      expect.arrayContaining(['0@0:2k+0', '0@1:2k+1']),
    );
  });
  it('takes a function that never repeats for the microbatches that there are', () => {
    const blocks = `on(s, j) = if(j < devices, j, devices * microbatches)  ${rule}`;
    expect(copies(blocks, { microbatches: 2 })).toEqual(['0@0:2k+0', '1@0:2k+0', '0@1:2k+1', '1@1:2k+1']);
  });
  it('knows no copies of microbatches that are not there, if it never repeats', () => {
    expect(copies(`on(s, j) = if(j < microbatches, s, devices - 1 - s)  ${rule}`)).toEqual(['0@0', '1@1']);
  });
  it('asks for stages of a number of devices', () => {
    const v = `stages = 2 * devices  on(s, j) = if(s < devices, s, stages - 1 - s)  ${rule}`;
    expect(copies(v, { stages: 4, devices: 2 })).toEqual(['0@0', '1@1', '2@1', '3@0']);
  });
});

describe('rows of copies', () => {
  const both = 'on(s, j) = if(mod(j, 2) == 0, s, devices - 1 - s)';
  it('names the stage that runs a microbatch there', () => {
    const plan = planOf(`${both}  row(d) = F[0..<microbatches], B[0..<microbatches]`);
    if (plan.schedule.kind !== 'rows') throw new Error('no rows');
    // Copies 0 and 1 run even microbatches, 2 and 3 odd ones.
    expect(plan.schedule.rows.map(({ stages }) => unpack(stages).join(' '))).toEqual([
      '0 3 0 3 0 3 0 3',
      '1 2 1 2 1 2 1 2',
    ]);
  });
  it('counts chunks among the stages that run a microbatch', () => {
    const v = 'let v(s) = if(s < devices, s, stages - 1 - s)  stages = 2 * devices';
    const body = `${v}  on(s, j) = if(mod(j, 2) == 0, v(s), devices - 1 - v(s))  row(d) = F[0, chunk = 1], F[1, chunk = 1]`;
    const { schedule, stages } = planOf(body, { stages: 4, devices: 2 });
    if (schedule.kind !== 'rows') throw new Error('no rows');
    const numbers = schedule.rows.map((row) => Array.from(unpack(row.stages), (index) => stages[index].copy?.stage));
    expect(numbers).toEqual([
      [3, 2],
      [2, 3],
    ]);
  });
});

describe('WeiPipe: a device runs all stages of its microbatches', () => {
  const body = `on(s, j) = mod(j, devices)
    row(d) = each(j in 0..<microbatches, if(mod(j, devices) == d,
      [each(s in 0..<stages, F[j, stage = s]), each(s in stages-1..0 step -1, B[j, stage = s])], []))`;
  it.each([1, 2, 3, 5])('is valid on %i devices', (devices) => {
    for (const microbatches of [1, 2, 4, 9]) {
      const plan = planOf(body, { devices, microbatches });
      const generated = generate(plan);
      expect('program' in generated ? validate(generated.program, plan) : generated.faults).toEqual([]);
    }
  });
});

describe('parts of copies', () => {
  const body = `placement = bidirectional  parts = 2
    row(d) = F[0..<microbatches, part = 0..<2], B[0..<microbatches, part = 1..0 step -1]`;
  const faultsOf = (text: string) => {
    const plan = planOf(text);
    const generated = generate(plan);
    return 'program' in generated ? validate(generated.program, plan) : generated.faults;
  };
  it('are next to each other', () => {
    const { stages } = planOf(body);
    expect(stages.map(({ copy }) => `${copy?.stage}:${copy?.first}.${copy?.segment}`)).toEqual([
      '0:0.0',
      '0:0.1',
      '1:0.0',
      '1:0.1',
      '0:1.0',
      '0:1.1',
      '1:1.0',
      '1:1.1',
    ]);
  });
  it('follow the parts of their copy', () => {
    expect(faultsOf(body)).toEqual([]);
    const [fault] = faultsOf(body.replace('1..0 step -1', '0..<2'));
    expect(fault.code).toBe('schedule/deadlock');
  });
  it('are named with their part where they are missing', () => {
    const [fault] = faultsOf(body.replace('1..0 step -1', '1'));
    expect(fault.message).toContain('0B0.0');
  });
});

describe('spare copies', () => {
  const bamboo = `on(s, j) = [s, mod(s - 1, devices)]  spare = true
    let next(d) = mod(d + 1, devices)
    row(d) = each(j in 0..<microbatches, F[j], F[j, stage = next(d)]), B[0..<microbatches]`;
  const plan = planOf(bamboo, { devices: 3 });
  const generated = generate(plan);
  const program = 'program' in generated ? generated.program : undefined;

  it('are behind the stages', () => {
    const own = ['0@0:1k+0', '1@1:1k+0', '2@2:1k+0'];
    expect(copies(bamboo, { devices: 3 })).toEqual([...own, '0@2:1k+0 spare', '1@0:1k+0 spare', '2@1:1k+0 spare']);
  });
  it('run forwards that nothing waits for', () => {
    if (program === undefined) throw new Error('no program');
    expect(validate(program, plan)).toEqual([]);
    const { offsets, needs } = dependenciesOf(plan.edges, program.stages);
    const waiting = Array.from(needs.subarray(0, offsets[3 * program.stages]));
    for (const spare of [3, 4, 5]) {
      // Its weight gradient would need its input gradient, and that its forward.
      expect(waiting.filter((need) => need === spare)).toHaveLength(1);
      expect(waiting.filter((need) => need === program.stages + spare)).toHaveLength(1);
    }
  });
  it('keep no activations, and their time is no work of the model', () => {
    const timeline = program === undefined ? undefined : simulate(program, timingOf(plan, program));
    if (timeline === undefined) throw new Error('no timeline');
    for (const device of [0, 1, 2]) {
      const { inFlight } = memoryPeak(plan, timeline, device);
      // All that run forward first, and the spare one that runs.
      expect(inFlight).toBeLessThanOrEqual(plan.microbatches + 1);
    }
    expect(plan.stages[3].backwardInput + plan.stages[3].backwardWeight + plan.stages[3].recompute).toBe(0);
    expect(plan.stages[3].spareFlops).toBe(plan.stages[3].forwardFlops);
  });
  it('refuse backwards', () => {
    const wrong = planOf(bamboo.replace('B[0..<microbatches]', 'B[0..<microbatches], B[0, stage = next(d)]'), {
      devices: 3,
    });
    const made = generate(wrong);
    const faults = 'program' in made ? validate(made.program, wrong) : [];
    expect(faults.map(({ message }) => message).join()).toContain('a spare copy runs forwards only');
  });
  it('are named by the export that cannot carry them', () => {
    if (program === undefined) throw new Error('no program');
    const made = exportTorch(plan, program, false);
    expect('problem' in made ? made.problem : '').toContain('has a spare copy');
  });
});

describe('what is no placement', () => {
  it.each([
    [`on(s, j) = ⟦value/range:s + 1⟧  ${rule}`, 'The device of stage 1 for microbatch 0 is 2'],
    [`on(s, j) = ⟦value/range:s / 2⟧  ${rule}`, 'from 0 to 1'],
    [`on(s, j) = [s, 1 - s]  spare = ⟦type/mismatch:true⟧  ${rule}`, 'only they can say when spare copies run'],
    [`on(s, j) = ⟦value/range:s + div(j, 3)⟧  ${rule}`, 'The device of stage 1 for microbatch 3 is 2'],
    [`on(s, j) = ⟦type/mismatch:[s, s]⟧  ${rule}`, 'with `spare = true` also a list'],
    [`⟦type/mismatch:on⟧(s, j) = [s, s]  spare = true  row(d) = F[0]`, 'stage 0 twice on device 0'],
    [`⟦type/mismatch:on⟧(s) = s  ${rule}`, 'found 1 parameter'],
    [`⟦type/mismatch:on⟧(s, 0) = s  ${rule}`, 'two names'],
    [`on(s, j) = ⟦type/mismatch:F[0]⟧  ${rule}`, 'a plain number, found operations'],
    [`on(s, j) = s  stages = ⟦value/range:microbatches⟧  ${rule}`, 'from `devices` alone'],
    [`⟦warning key/not-applicable:stages⟧ = devices  ${rule}`, 'no `on(s, j) = …`'],
    [`⟦warning key/not-applicable:spare⟧ = true  ${rule}`, 'no `on(s, j) = …`'],
    [`on(s, j) = s  ⟦warning key/not-applicable:placement⟧ = linear  ${rule}`, '`on` decides'],
  ])('%s', (body, message) => {
    checkFindings(pipelineOf(`schedule mine { ${body} }`), [message]);
  });
  it.each([
    [`on(s, j) = 0  ${rule}`, 'gives no stage to device 1'],
    [`on(s, j) = s  stages = 3 * devices  ${rule}`, '"stages" is 2 for no number of devices; nearest stages: 3 or 6'],
    [`on(s, j) = if(mod(j, 2) == 0, s, 1 - s)  weights = stash  ${rule}`, 'which "stash" would update separately'],
    [`require devices > 2  on(s, j) = s + 5  ${rule}`, 'it requires devices > 2'],
  ])('%s', (body, message) => {
    const { findings } = resolveText(pipelineOf(`schedule mine { ${body} }`));
    expect(findings.filter(({ severity }) => severity === 'error').map((each) => each.message)).toEqual([
      expect.stringContaining(message),
    ]);
  });
  it('is refused before memory is taken for a table that is too large', () => {
    // Without the spare copies it is within the limit.
    const limits = { ...defaultOptions.limits, operations: 20 };
    const body = '⟦limit/too-large:on⟧(s, j) = [s, mod(s - 1, devices)]  spare = true  row(d) = F[0], B[0]';
    const text = pipelineOf(`schedule mine { ${body} }`);
    checkFindings(text, ['32, over the limit of 20'], { options: { ...defaultOptions, limits } });
  });
});
