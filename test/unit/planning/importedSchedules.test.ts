/** Schedules of another file that the numbers of a pipeline make wrong: one finding, at the pipeline, that names the expression. */
import { expect, test } from 'vitest';
import { analyse } from '../../support/analyse.ts';
import { uri } from '../../support/host.ts';

const pipeline = (stages: string, schedule: string) => `
import { own } from "own.pipe"
device gpu { memory = 16GiB }
cluster box { gpu[4] = gpu  link = 25GB/s + 5us }
model toy { layer block[8] { forward = 1ms  backward = 2ms } }
pipeline p { model = toy  devices = box  microbatches = 8  stages = ${stages}  schedule = ${schedule} }
`;

const rows = 'row(d) = F[0..<microbatches], B[0..<microbatches]';

interface Case {
  readonly schedule: string;
  /** The text that is wrong, in the schedule. */
  readonly wrong: string;
  /** As the pipeline writes it. Default: `own`. */
  readonly use?: string;
  readonly stages?: string;
  /** Where the finding is. Default: the schedule. */
  readonly at?: string;
}

test.each<[string, Case]>([
  ['a row', { schedule: `${rows}  row(devices + 0) = F[0]`, wrong: 'devices + 0' }],
  ['a limit', { schedule: 'order = greedy(prefer = [B, F])  in_flight(s) = 4 - stages', wrong: '4 - stages' }],
  ['a condition', { schedule: `require 1 / (stages - 4) > 0  ${rows}`, wrong: '(stages - 4)' }],
  ['a device', { schedule: `on(s, j) = s + 1  ${rows}`, wrong: 's + 1' }],
  ['a device twice', { schedule: `spare = true  on(s, j) = [s, s]  ${rows}`, wrong: 'on' }],
  ['a home', { schedule: `on(s, j) = s  home(s) = s + 9  ${rows}`, wrong: 's + 9' }],
  ['a home elsewhere', { schedule: `on(s, j) = s  home(s) = 3 - s  ${rows}`, wrong: '3 - s' }],
  ['stages', { schedule: `on(s, j) = s  stages = devices - 4  ${rows}`, wrong: 'devices - 4' }],
  [
    'stages that the cluster decides',
    {
      schedule: `on(s, j) = s  stages = devices - 4  ${rows}`,
      wrong: 'devices - 4',
      stages: 'balance()',
      at: 'balance()',
    },
  ],
  ['stages that run forwards only', { schedule: `forward_only(s) = 1 / (s - 3) < 1  ${rows}`, wrong: '(s - 3)' }],
  ['a duration', { schedule: `time(F, s, j) = time(F, s) - 2s  ${rows}`, wrong: 'time(F, s) - 2s' }],
  ['an argument', { schedule: `param k = 1 in 0..4  placement = loop(k)  ${rows}`, wrong: 'k', use: 'own(k = 0)' }],
])('%s', (_, { schedule, wrong, use = 'own', stages = 'balance(4)', at = use }) => {
  const own = `schedule own { ${schedule} }`;
  const text = pipeline(stages, use);
  const errors = analyse(text, { files: { 'own.pipe': own } }).findings.filter(({ severity }) => severity === 'error');
  const written = errors.map(({ place, related }) => [
    place.uri === uri ? text.slice(place.start, place.end) : place.uri,
    ...related.map((other) => own.slice(other.place.start, other.place.end)),
  ]);
  expect(written).toEqual([[at, wrong]]);
});
