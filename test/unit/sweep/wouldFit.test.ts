/** What a search names where no row fits: each change is simulated, and needed. */
import { describe, expect, test } from 'vitest';
import { overriddenAxes } from '../../../engine/sweep/axes.ts';
import { readAxes } from '../../../engine/sweep/readAxes.ts';
import { defaultSpace } from '../../../engine/sweep/space/space.ts';
import { type WouldFit, wouldFitSteps } from '../../../engine/sweep/wouldFit.ts';
import { runHere, shaped, sweepCase } from './sweepCase.ts';

interface Asked {
  readonly over: string;
  /** Bytes of a device. */
  readonly memory: string;
  readonly edit?: (text: string) => string;
  readonly limits?: readonly string[];
}

const caseOf = ({ over, memory, edit = (text) => text, limits = [] }: Asked) =>
  sweepCase(over, { text: edit(shaped.replace('memory = 24GiB', `memory = ${memory}`)), limits });

function found(asked: Asked): WouldFit | undefined {
  const { base, axes } = caseOf(asked);
  expect(runHere({ base, axes }).points.every(({ meets }) => !meets)).toBe(true);
  const steps = wouldFitSteps(base, axes, asked.limits ?? [], undefined);
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** Whether a row of the search fits with these values of more keys. */
function fits(asked: Asked, more: string): boolean {
  const { base, axes } = caseOf(asked);
  const added = readAxes(more);
  if ('problem' in added) throw new Error(added.problem);
  return runHere({ base, axes: overriddenAxes(axes, added) }).points.some(({ meets }) => meets);
}

const oneDevice = (text: string): string =>
  text
    .replace('node[2] {', 'node[1] {')
    .replace('gpu[4] = card', 'gpu[1] = card')
    .replace('data         = 2', '')
    .replace('balance(4)', 'balance(1)')
    .replace('balance(8)', 'balance(1)');

const whole = 'tensor = [1], recompute = [none], pipeline = [4], micro_batch = [1], schedule = [1f1b]';

describe('one value', () => {
  const asked: Asked = { over: `${whole}, optimizer = [adam_mixed]`, memory: '4.5GiB' };

  test('that leaves the margin of memory is named before one that does not, and the fastest of these', () => {
    const { change = '', text = '' } = found(asked) ?? {};
    const { base, axes } = caseOf(asked);
    // Every other value, one at a time.
    const rows = defaultSpace(base).axes.flatMap(({ key, values }) =>
      values
        .filter((value) => axes.find((axis) => axis.key === key)?.values.includes(value) !== true)
        .flatMap((value) =>
          runHere({ base, axes: overriddenAxes(axes, [{ key, values: [value] }]) })
            .points.filter(({ meets, tight }) => meets && tight === undefined)
            .map(({ iteration }) => ({ change: `${key} = ${value}`, iteration })),
        ),
    );
    expect(rows.length).toBeGreaterThan(1);
    expect(change).toBe(rows.toSorted((a, b) => a.iteration - b.iteration)[0].change);
    expect(text).toContain(`With ${change} it fits: `);
    expect(text).not.toContain('which leaves');
  });

  test('pipeline ranks are no key of a pipeline, and are not named as one', () => {
    const { base, axes } = sweepCase('pipeline = [1]', { text: shaped.replace('memory = 24GiB', 'memory = 5GiB') });
    const others = defaultSpace(base).axes.filter(({ key }) => key !== 'pipeline');
    const fixed = others.map(({ key, values }) => ({
      key,
      values: key === 'recompute' ? ['none'] : values.slice(0, 1),
    }));
    const changes: string[] = [];
    const steps = wouldFitSteps(base, overriddenAxes(axes, fixed), [], undefined);
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) break;
      if (step.value.known !== undefined) changes.push(step.value.known.change);
    }
    expect(changes.some((change) => /^[248] pipeline ranks$/u.test(change))).toBe(true);
    expect(changes.join()).not.toContain('pipeline =');
  });
});

test('values of several keys are all needed', () => {
  const asked: Asked = { over: `${whole}, optimizer = [adam_mixed]`, memory: '2GiB' };
  const { change = '', text = '' } = found(asked) ?? {};
  const parts = change.split(/, (?:and )?| and /u);
  expect(parts.length).toBeGreaterThan(1);
  expect(text).toContain('it fits: ');
  const asKey = (part: string): string => part.replace(/^(\d+) pipeline ranks?$/u, 'pipeline = $1');
  expect(fits(asked, parts.map(asKey).join(', '))).toBe(true);
  for (const dropped of parts)
    expect(
      fits(
        asked,
        parts
          .filter((part) => part !== dropped)
          .map(asKey)
          .join(', '),
      ),
      dropped,
    ).toBe(false);
});

describe('other hardware', () => {
  test('nodes come with other values if they alone do not help', () => {
    // One pipeline rank on each node holds the whole model, however many there are.
    const asked: Asked = {
      over: 'pipeline = [1], optimizer = [adam_mixed], recompute = [full]',
      memory: '6GiB',
      edit: oneDevice,
    };
    expect(found(asked)?.change).toMatch(/^\d+ nodes(?:,| and) /u);
  });

  test('of a cluster without nodes more devices are named', () => {
    const flat = (text: string): string =>
      oneDevice(text).replace(/cluster box \{[\s\S]*?\n\}\n/u, 'cluster box { gpu[1] = card  link = 100GB/s }\n');
    const asked: Asked = { over: 'pipeline = [1, 2, 4, 8], recompute = [full]', memory: '6GiB', edit: flat };
    expect(found(asked)?.change).toMatch(/^\d+ devices$/u);
  });
});

test('frozen weights of adapters are named as nf4', () => {
  const adapters = (text: string): string =>
    oneDevice(text).replace('micro_batch = 1', 'micro_batch = 1  trainable = lora(rank = 8, targets = [q, v])');
  expect(found({ over: 'recompute = [full]', memory: '1GiB', edit: adapters })?.change).toBe('frozen weights as nf4');
});

test('what no change reaches is not said to fit', () => {
  expect(found({ over: 'recompute = [full]', memory: '1MiB', limits: [] })).toBeUndefined();
});
