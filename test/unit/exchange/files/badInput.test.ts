/** What a file says wrongly about the exchange of gradients is found where it is written. */
import { expect, test } from 'vitest';
import { analyse, codesOf } from '../../../support/analyse.ts';
import { checkFindings } from '../../../support/expected.ts';
import { type Files } from '../../../support/host.ts';
import * as fc from '../../../support/property.ts';
import { ruleParameters } from '../../../../engine/exchange/arguments.ts';
import { collectives } from '../../../../engine/exchange/collectives.ts';
import { exchangePresets } from '../../../../engine/exchange/presets.ts';

const fileOf = (sync: string, collective = '', more = 'data = 2'): string => `model toy {
  layer front { forward = 1ms  backward = 1ms  weights = 10MB }
  layer back  { forward = 1ms  backward = 1ms  weights = 40MB }
}
device gpu { memory = 1TiB }
cluster box { gpu[${/data = (\d+)/.exec(more)?.[1] ?? '6'}] = gpu  link = 10GB/s }
pipeline p {
  model = toy  devices = box  microbatches = 1  stages = balance(1)  schedule = 1f1b  ${more}
  sync = ${sync}  ${collective === '' ? '' : `collective = ${collective}`}
}
`;

test.each([
  ['overlap(credit = ⟦value/range:0B⟧)', '"credit" is 0 B; it must be over 0 B'],
  ['overlap(credit = ⟦value/range:-4MB⟧)', 'it must be over 0 B'],
  ['overlap(partition = ⟦value/range:0B⟧)', 'it must be over 0 B'],
  ['overlap(slice = ⟦value/range:1.5⟧)', 'whole number of at least 1'],
  ['overlap(ack = ⟦value/range:-1ms⟧)', 'at least 0 ms'],
  ['overlap(cycle = ⟦value/range:0s⟧)', 'over 0 ms'],
  ['overlap(bucket = 1MB, ⟦value/range:first = 2MB⟧)', 'at most the bucket, 1MB'],
  ['ddp(⟦value/range:first = 30MiB⟧)', 'at most the bucket, 25MiB'],
  ['overlap(⟦value/range:fuse = 3MB⟧)', 'only where `cycle` says how often'],
  ['overlap(⟦value/range:credit = 4⟧)', 'pieces have no fixed size here'],
  ['overlap(⟦key/duplicate:slice⟧ = 10, partition = 1MB)', '"slice" is another name for "partition"'],
  ['end(⟦key/unknown:barrier⟧ = false)', 'Write `overlap(barrier = false)`'],
  ['overlap(⟦key/unknown:ordr⟧ = forward)', 'Did you mean "order"?'],
  ['overlap(order = ⟦name/unknown:backward⟧)', 'ready, forward, tail, tio and tao'],
  ['⟦name/unknown:dpp⟧', 'Did you mean "ddp"?'],
  // 50 MB in pieces of a few bytes, or of less than a byte, would never end.
  [
    'overlap(⟦limit/too-large:partition = 1B⟧)',
    'Pieces of gradients of pipeline "p": 50,000,000, over the limit of 16,000,000',
  ],
  ['overlap(⟦limit/too-large:partition = 1e-9B⟧)', 'over the limit of 16,000,000'],
  ['p3(⟦limit/too-large:slice = 1⟧)', 'over the limit of'],
])('%s', (sync, message) => {
  checkFindings(fileOf(sync), [message]);
});

test.each([
  ['⟦value/range:ps(servers = 9)⟧', 'data = 2', 'at most the 2 ranks, or servers with a `link`'],
  ['ps(servers = ⟦value/range:0⟧)', 'data = 2', 'whole number of at least 1'],
  ['ps(colocated = true, ⟦type/mismatch:servers = 2⟧)', 'data = 2', 'each worker is a server'],
  ['⟦value/range:trees(servers = 5)⟧', 'data = 2', 'at most the 2 ranks'],
  ['⟦value/range:halving⟧', 'data = 6', '"ranks" of halving is 6; it must be a power of two, such as 4'],
  ['⟦name/unknown:rings⟧', 'data = 2', 'Did you mean "ring"?'],
  [
    'table(⟦import/not-found:"none.csv"⟧)',
    'data = 2',
    'Paths start at the folder of this file. Each line of a table has bytes',
  ],
  ['table(⟦import/outside-workspace:"outside.csv"⟧)', 'data = 2', 'outside this workspace'],
  ['table(⟦import/unreadable:"mixed.csv"⟧)', 'data = 2', 'line 2, column 1: This size is not larger'],
  ['table(⟦import/unreadable:"empty.csv"⟧)', 'data = 2', 'at least two sizes, and has 0'],
  ['table(⟦import/unreadable:"words.csv"⟧)', 'data = 2', 'line 2, column 1'],
  [
    '⟦key/not-applicable:tree⟧',
    'data = 2  optimizer = adam_mixed(zero1)',
    'does not scatter gradients and gather weights apart',
  ],
])('collective = %s, %s', (collective, more, message) => {
  const files: Files = {
    'mixed.csv': '2e6,1e-3\n1e6,2e-3\n',
    'empty.csv': '',
    'words.csv': 'bytes,seconds\n1,abc',
    'outside.csv': { problem: 'outside' },
  };
  checkFindings(fileOf('overlap', collective, more), [message], { files });
});

test.each([
  ['data = 2  optimizer = adam_mixed(zero2)', 'ddp', 'key/not-applicable'],
  ['data = 2  optimizer = adam_mixed(zero3)', 'ddp', 'key/not-applicable'],
  ['data = 1', 'ddp', 'key/not-applicable'],
  ['data = 2  optimizer = adam_mixed(clip = true)', 'bytescheduler', 'value/range'],
])('%s and %s give %s', (more, sync, code) => {
  const { findings } = analyse(fileOf(sync, '', more));
  expect(findings.filter((finding) => finding.code === code)).toHaveLength(1);
});

test('an asynchronous schedule says that neither rule nor collective applies', () => {
  const text = fileOf('ddp', 'nccl').replace('1f1b', 'pipedream');
  expect(codesOf(analyse(text)).filter((code) => code === 'key/not-applicable')).toHaveLength(2);
});

const words = [
  ...ruleParameters.flatMap(({ name, words: some = [] }) => [name, ...some]),
  ...exchangePresets.map(({ name }) => name),
  ...collectives.map(({ name }) => name),
  ...[
    '=',
    '=',
    '(',
    ')',
    ',',
    ',',
    '0',
    '1',
    '-3',
    '1e9',
    '4MB',
    '1ms',
    '10GB/s',
    '"x.csv"',
    '[',
    ']',
    '{',
    '}',
    'true',
    '∞',
  ],
];
const phrase = fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((some) => some.join(' '));
const call = fc
  .record({
    name: fc.constantFrom(...exchangePresets.map(({ name }) => name)),
    values: fc.uniqueArray(
      fc.tuple(
        fc.constantFrom(...ruleParameters.map(({ name }) => name)),
        fc.constantFrom(
          '0',
          '1',
          '3',
          '1MB',
          '10MB',
          '0B',
          '1ms',
          'best',
          'true',
          'false',
          'forward',
          'tail',
          'tao',
          'apart',
          'at_preemption',
        ),
      ),
      { maxLength: 5, selector: ([name]) => name },
    ),
  })
  .map(({ name, values }) => `${name}(${values.map(([key, value]) => `${key} = ${value}`).join(', ')})`);
const collective = fc.constantFrom(
  '',
  'ring',
  'tree',
  'halving',
  'ps',
  'ps(colocated = true)',
  'nccl',
  'best',
  'trees(call = 1us)',
  'ps(push = factors)',
  'ring(channels = 2)',
  'nccl(channels = 1)',
  'nccl(algorithm = nvls)',
  'nccl(algorithm = tree)',
);

test('any text is read without an exception, and what has no error runs', () => {
  fc.assert(
    fc.property(
      fc.oneof(phrase, call),
      fc.oneof(phrase, collective),
      fc.constantFrom('data = 2', 'data = 6', 'data = 2  optimizer = adam_mixed(zero1)'),
      (sync, by, more) => {
        const { findings, pipelines } = analyse(fileOf(sync, by, more));
        if (findings.some(({ severity }) => severity === 'error')) return;
        for (const { run } of pipelines) expect(run?.report.iteration).toBeGreaterThan(0);
      },
    ),
    { numRuns: 400 },
  );
});
