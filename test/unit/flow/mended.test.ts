/** Small files that once went wrong. */
import { expect, test } from 'vitest';
import { fixesFor } from '../../../engine/fixes/fix.ts';
import { apply } from '../../../engine/fixes/proposal.ts';
import { analyse } from '../../support/analyse.ts';
import { breaches } from './holds.ts';

interface Parts {
  readonly layer?: string;
  readonly memory?: string;
  readonly devices?: number;
  readonly link?: string;
  readonly pipeline: string;
  readonly more?: string;
}

const usual = 'layer block[8] { forward = 4ms  backward = 8ms  weights = 256MiB  activation = 64MiB  output = 1MiB }';
const file = ({ layer = usual, memory = '16GiB', devices = 4, link = '25GB/s', pipeline, more = '' }: Parts): string =>
  `model toy { ${layer} }\ndevice card { memory = ${memory} }\ncluster box { gpu[${devices}] = card  link = ${link} }\n` +
  `pipeline train { model = toy  devices = box  ${pipeline} }\n${more}`;

const messages = (text: string): readonly string[] => analyse(text).findings.map(({ message }) => message);

test('a name that is no schedule is told where it is called as one', () => {
  const text = file({ pipeline: 'microbatches = 8  stages = balance(4)  schedule = toy(policy = b)' });
  const { findings } = analyse(text);
  expect(findings.map(({ code }) => code)).toEqual(['type/mismatch']);
  expect(findings[0].message).toBe('Expected a schedule, found the model "toy".');
  expect(text.slice(findings[0].place.start, findings[0].place.end)).toBe('toy');
  const fixed = fixesFor(analyse(text), findings[0], analyse).map(({ edits }) => apply(text, edits));
  expect(fixed.map((each) => each.includes('schedule = 1f1b'))).toEqual([true]);
});

test('causes add up where equal stages would hide more of each other than unequal ones', () => {
  const layer = 'layer block[3] { forward = 8ms  backward = 1ms  weights = 1MiB  activation = 1MiB }';
  const stages = 'stage a { layers = block[0] }  stage b { layers = block[1..2] }';
  const text = file({ layer, devices: 2, pipeline: `microbatches = 4  ${stages}  schedule = dualpipe(overlap = 90%)` });
  expect(analyse(text).pipelines[0].run).toBeDefined();
  expect(breaches(text)).toEqual([]);
});

test.each(['', 'transfer = rendezvous(batched = true)'])(
  'no device waits longer for a link than the period of an asynchronous schedule %s',
  (transfer) => {
    const text = file({
      link: '1MB/s',
      pipeline: `microbatches = 8  stages = balance(4)  schedule = xpipe  ${transfer}`,
    });
    const report = analyse(text).pipelines[0].run?.report;
    // Where a transfer blocks both devices, both wait.
    const most = (transfer === '' ? 1 : 2) * (report?.iteration ?? 0);
    expect(most).toBeGreaterThan(0);
    for (const { exposed } of report?.links ?? []) expect(exposed).toBeLessThanOrEqual(most * (1 + 1e-3));
  },
);

test('what is too large to compute with is refused, and what is too small to matter is 0', () => {
  const pipeline = 'microbatches = 4  stages = balance(4)  schedule = 1f1b';
  const timed = (time: string) => file({ layer: usual.replace('4ms', time), pipeline });
  expect(messages(timed('1e300s'))[0]).toMatch(
    /^The value is too large to compute with; it must be at most 1e\+?24 s\.$/,
  );
  expect(analyse(timed('1e-30s')).pipelines[0].plan.stages[0].forward).toBe(0);
  expect(breaches(timed('1e20s'))).toEqual([]);
});

test('one is singular', () => {
  const use = (schedule: string, microbatches: number) =>
    messages(file({ pipeline: `microbatches = ${microbatches}  stages = balance(8)  schedule = ${schedule}` }))[0];
  expect(use('interleaved_1f1b(group = 1)', 8)).toMatch(/groups of 1 microbatch;/);
  expect(messages(file({ pipeline: 'microbatches = 1  stages = split(7)  schedule = 1f1b' }))[0]).toBe(
    'The number of layers in 1 stage is 7; it must be 8, the number of layers in model "toy" (block[8]); block[7] is left out.',
  );
  expect(messages(file({ pipeline: 'microbatches = 0  stages = balance(4)  schedule = 1f1b' }))[0]).toBe(
    '"microbatches" is 0; it must be a whole number of at least 1.',
  );
});

test('stages that need memory together, and stages that are equally late, are told together', () => {
  const folded = file({ memory: '1GiB', pipeline: 'microbatches = 8  stages = balance(8)  schedule = zb_v' });
  expect(messages(folded).some((message) => message.includes('Stages "s1" and "s6" need '))).toBe(true);
  const late = file({ pipeline: 'microbatches = 8  stages = balance(4)  schedule = pipedream_2bw' });
  expect(
    messages(late).some((message) => message.includes('s0, s1, s2 and s3 keep 2 versions and are 1 update late')),
  ).toBe(true);
});
