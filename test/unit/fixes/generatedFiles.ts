/** Files as people write them: any keys in any order, comments at any line, and at most one slip of the pen. */
import * as fc from '../../support/property.ts';

const layers = [
  'layer block[8] { forward = 4ms  backward = 8ms  weights = 256MiB  activation = 512MiB  output = 16MiB }',
  'layer first { forward = 1ms  backward = 2ms  weights = 1GiB }  layer block[7] { forward = 4ms  backward = 8ms  weights = 128MiB  activation = 256MiB  output = 16MiB }',
  'sequence = 1024  micro_batch = 2  layer block[8] = transformer(hidden = 2048, heads = 16)',
];
const schedules = [
  ...['1f1b', 'gpipe', 'zb_h1', 'zb_h2', 'eager_1f1b', 'interleaved_1f1b(chunks = 2)', 'zb_auto(limit = 2)', 'zb_auto'],
  ...[
    'dapple(in_flight = 3)',
    '1f1b(warmup = [4, 3, 2, 1])',
    'pipedream',
    'chimera',
    'zb_v',
    '1f1b(recompute = ahead)',
  ],
];
const cuts = [
  'stages = balance(4)',
  'stages = balance(8)',
  'stages = balance(s)',
  'stages = split(1, 3, 2, 2)',
  'stages = split(2, 2, 2, 2)',
  'stage a { layers = block[0..1] }|stage b { layers = block[2..3] }|stage c { layers = block[4..5] }|stage d { layers = block[6..7] }',
  'stage a { layers = block[0..2] }|stage b { layers = block[3]  on = gpu[1] }|stage c { layers = block[4] }|stage d { layers = block[5..7]  recompute = full }',
];
const more = [
  'optimizer = adam_mixed',
  'recompute = full',
  'data = 2',
  'tensor = 2',
  'sync = overlap',
  'shard = optimizer',
];
const expectations = ['bubble < 10%', 'iteration < 200ms', 'peak_memory < 4GiB', 'in_flight <= 4', 'throughput > 1/s'];

/** A slip: what is written instead of what. */
const slips: readonly (readonly [string, string])[] = [
  ['memory', 'memroy'],
  ['GiB  c', 'Gib  c'],
  ['GiB  c', 'ms  c'],
  ['devices = box', 'devices = bax'],
  ['schedule = ', 'schedul = '],
  ['schedule = ', 'schedule = 1'],
  ['microbatches = ', 'microbatches = 3.5 + '],
  ['microbatches = ', 'microbatches = 0 * '],
  ['microbatches = ', 'micro_batches = '],
  ['model = toy', 'model = toy  model = toy'],
  ['link = ', 'lnk = '],
  ['gpu[', 'gpu['],
  ['balance(', 'balance(9'],
  ['balance(', 'balanced('],
  ['split(', 'split(4, '],
  ['block[', 'blocks['],
  ['4ms', '4 ms'],
  ['5us', '5 us'],
  ['param s', 'param spare = 1\nparam s'],
  ['expect train {', 'expect trian {'],
  ['}\nexpect', '\nexpect'],
  ['device gpu', 'device gpu { memory = 1GiB }\ndevice gpu'],
];

export interface GeneratedFile {
  readonly text: string;
  /** The slip in words; undefined for none. */
  readonly slip: string | undefined;
}

/** Each comment of a file is another one, so that a lost one is seen. */
export const generatedFile: fc.Arbitrary<GeneratedFile> = fc
  .record({
    model: fc.constantFrom(...layers),
    memory: fc.constantFrom('2GiB', '4GiB', '5GiB', '16GiB', '80GiB'),
    link: fc.constantFrom('1GB/s + 5us', '25GB/s + 5us', '200GB/s'),
    schedule: fc.constantFrom(...schedules),
    cut: fc.constantFrom(...cuts),
    microbatches: fc.constantFrom('4', '8', 'm', '2 * m'),
    extra: fc.uniqueArray(fc.constantFrom(...more), { maxLength: 2 }),
    expected: fc.uniqueArray(fc.constantFrom(...expectations), { maxLength: 2 }),
    other: fc.boolean(),
    order: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
    comments: fc.array(fc.constantFrom('', '', '  // n', '  /* n */', '\n  // n', '\n'), {
      minLength: 12,
      maxLength: 12,
    }),
    slip: fc.option(fc.constantFrom(...slips), { freq: 2, nil: undefined }),
    windows: fc.boolean(),
  })
  .map((made) => {
    const { order, comments } = made;
    const cut = made.cut.split('|');
    const wide = made.extra.some((each) => /data|tensor/.test(each));
    const entries = [
      'model = toy',
      'devices = box',
      `microbatches = ${made.microbatches}`,
      `schedule = ${made.schedule}`,
      ...cut,
    ];
    entries.push(...made.extra);
    const ranked = entries.map((entry, index) => [entry, order[index % order.length] % 5] as const);
    const body = ranked
      .toSorted((a, b) => (cut.includes(a[0]) && cut.includes(b[0]) ? 0 : a[1] - b[1]))
      .map(
        ([entry], index) => `  ${entry}${(comments[index % comments.length] ?? '').replace('n', `note ${index} é`)}`,
      );
    const pipeline = (title: string) => `pipeline ${title} {\n${body.join('\n')}\n}\n`;
    const lines = [
      '/// What is trained.',
      `model toy { ${made.model} }`,
      `device gpu { memory = ${made.memory}  compute = 300TFLOPS  bandwidth = 2TB/s }  // the card`,
      `cluster box { gpu[${wide ? 8 : 4}] = gpu  link = ${made.link} }`,
      'param m = 4 in 1..16  // how many',
      'param s = 4 in 1..16',
      pipeline('train') + (made.other ? pipeline('other') : ''),
      `expect train { ${['bubble < 99%', ...made.expected].join('  ')} }`,
    ];
    const good = `${lines.join('\n')}\n`;
    const [part, by] = made.slip ?? ['', ''];
    const text = part === '' ? good : good.replace(part, () => by);
    return {
      text: made.windows ? text.replaceAll('\n', '\r\n') : text,
      slip: text === good ? undefined : `${part} → ${by}`,
    };
  });
