/** Files with mistakes that people make: the first fix of each is the one that helps most, and does what it says. */
import { describe, expect, it } from 'vitest';
import type { Analysis } from '../../../engine/flow/check.ts';
import type { Code } from '../../../engine/findings/catalogue.ts';
import type { Fix } from '../../../engine/fixes/fix.ts';
import { analyse, codesOf, fixesOf } from '../../support/analyse.ts';
import { checkPromise } from './promise.ts';

interface UserFile {
  readonly code: Code;
  readonly text: string;
  /** The first fix, and the change of the iteration that its title states. */
  readonly first: string;
  /** Further titles, or parts of them, in any order. */
  readonly others?: readonly string[];
  /** Findings that lessen and stay. */
  readonly lessens?: true;
}

/** A file is checked, and the fixes of its findings are found, once for all tests. */
const known = new Map<string, { readonly analysis: Analysis; readonly fixes: readonly Fix[] }>();
function fixed(text: string, code: Code) {
  const found = known.get(text);
  if (found !== undefined) return found;
  const analysis = analyse(text);
  const made = { analysis, fixes: fixesOf(analysis, code) };
  known.set(text, made);
  return made;
}

const small = 'forward = 5ms  backward = 10ms  weights = 64MiB  activation = 64MiB  output = 8MiB';
const onLink = (link: string) => `device d { memory = 16GiB }\ncluster c { gpu[4] = d  link = ${link} }\n`;
const train = (keys: string) => `pipeline train { model = m  devices = c  ${keys} }\n`;

const files: Readonly<Record<string, UserFile>> = {
  'Llama 3 8B on eight A100s of 40 GB does not fit': {
    code: 'memory/out-of-memory',
    text: `import { a100_40 } from "std:hardware"
import { llama3_8b } from "std:models"
model m { from = llama3_8b  sequence = 4096  micro_batch = 2 }
cluster c { gpu[8] = a100_40  link = 235GB/s + 3us }
${train('microbatches = 16  stages = balance(4)  data = 2  schedule = 1f1b  optimizer = adam_mixed')}`,
    first:
      'Use 2 tensor and 1 data rank with 32 microbatches and sequence parallelism, and use interleaved_zb(chunks = 3), 34 layers cut again into 12 stages: peak 35.5 GiB, iteration −11.1 %',
    others: [
      'Use 2 tensor and 1 data rank with 32 microbatches and sequence parallelism: peak 34 GiB, iteration −4.3 %',
    ],
  },
  'gpipe holds all microbatches': {
    code: 'memory/out-of-memory',
    text: `import { a100_80 } from "std:hardware"
model m { sequence = 2048  micro_batch = 4  layer block[40] = transformer(hidden = 5120, heads = 40) }
cluster c { gpu[8] = a100_80  link = 235GB/s + 3us }
${train('microbatches = 32  stages = balance(8)  schedule = gpipe  optimizer = megatron_bf16')}`,
    first:
      'Set micro_batch to 1 and microbatches to 128, and use interleaved_zb(chunks = 5), 40 layers cut again into 40 stages: peak 71.6 GiB, iteration −17.3 %',
    others: ['Recompute every stage: peak 44.7 GiB, iteration +33.3 %'],
  },
  'the optimizer of one stage on eight data ranks does not fit': {
    code: 'memory/out-of-memory',
    text: `import { a100_40 } from "std:hardware"
import { llama2_7b } from "std:models"
model m { from = llama2_7b  sequence = 4096 }
cluster c { gpu[8] = a100_40  link = 235GB/s + 3us }
${train('microbatches = 4  stages = balance(1)  data = 8  schedule = 1f1b  optimizer = adam_mixed')}`,
    first: 'Shard optimizer, gradients and weights over 8 data ranks',
  },
  'a limit of memory that recomputation of attention alone does not meet': {
    code: 'expect/failed',
    text: `import { a100_80 } from "std:hardware"
model m { sequence = 2048  micro_batch = 1  layer block[40] = transformer(hidden = 5120, heads = 40) }
cluster c { gpu[8] = a100_80  link = 235GB/s + 3us }
${train('microbatches = 32  stages = balance(8)  schedule = 1f1b  optimizer = megatron_bf16')}
expect train { peak_memory < 40GiB  bubble < 20% }`,
    first:
      'Recompute the attention of every stage, and use v_half, 40 layers cut again into 16 stages: peak 35.8 GiB, iteration +2.4 %',
    others: ['Recompute every stage: peak 28.6 GiB', "Expect today's figure, peak_memory < 71.3GiB"],
  },
  'fewer microbatches than stages': {
    code: 'schedule/bubble',
    text: `model m { layer block[16] { ${small} } }
${onLink('25GB/s + 5us').replace('gpu[4]', 'gpu[8]')}${train('microbatches = 4  stages = balance(8)  schedule = 1f1b')}`,
    first: 'Use v_min, 16 layers cut again into 16 stages: iteration −38.7 %, peak +6.1 %',
    others: ['Set microbatches to 16: throughput +91.1 %, batch 4 → 16'],
    lessens: true,
  },
  'a slow link between nodes': {
    code: 'comm/exposed',
    text: `model m { layer block[16] { ${small.replace('8MiB', '64MiB')} } }
device d { memory = 16GiB }
cluster c { node[2] { gpu[4] = d  link = 200GB/s + 3us }  link = 1.25GB/s + 30us }
${train('microbatches = 16  stages = balance(8)  schedule = 1f1b')}`,
    first: 'Use eager_1f1b: iteration −11.4 %, peak +66.7 %, exposed 10.3 % → 9.7 %',
    others: ['With a link of 2.5GB/s: iteration −32.4 %, peak unchanged'],
    lessens: true,
  },
  'a head that takes longer than a block': {
    code: 'stage/imbalance',
    text: `model m {
  layer embed { forward = 2ms  backward = 4ms  weights = 1GiB  activation = 16MiB  output = 16MiB }
  layer block[14] { ${small} }
  layer head { forward = 9ms  backward = 18ms  weights = 1GiB  activation = 256MiB }
}
${onLink('25GB/s + 5us')}${train('microbatches = 16  stages = split(4, 4, 4, 4)  schedule = 1f1b')}`,
    first: 'Write the balanced stages into the file: iteration −8.',
  },
  'an expected share of idle time': {
    code: 'expect/failed',
    text: `model m { layer block[16] { ${small} } }
${onLink('100GB/s + 5us')}${train('microbatches = 8  stages = balance(4)  schedule = 1f1b')}
expect train { bubble < 15% }`,
    first: 'Use interleaved_zb(chunks = 4), 16 layers cut again into 16 stages: iteration −24.8 %, peak +7.8 %',
    others: ["Expect today's figure, bubble < 27.5%"],
  },
  'a throughput that another policy alone does not reach': {
    code: 'expect/failed',
    text: `import { h100 } from "std:hardware"
import { llama3_8b } from "std:models"
cluster c { node[2] { gpu[8] = h100  link = 450GB/s + 5us }  link = 50GB/s + 10us }
${train('microbatches = 16  tensor = 2  stages = balance(8)  schedule = 1f1b  optimizer = megatron_bf16  recompute = full').replace('= m ', '= llama3_8b ')}
expect train { throughput > 12/s }`,
    first: 'Recompute no stage, and use zb_v, 34 layers cut again into 16 stages: iteration −40.6 %, peak +153 %',
    others: ["Expect today's figure, throughput > 7.66/s"],
  },
  'more ranks than devices': {
    code: 'stage/device-count',
    text: `model m { layer block[16] { ${small} } }
${onLink('25GB/s + 5us').replace('gpu[4]', 'gpu[8]')}${train('microbatches = 8  stages = balance(6)  data = 2  schedule = 1f1b')}`,
    first: 'Cut the model into 4 stages',
    others: ['Use 1 data rank', 'With gpu[12] in the cluster'],
  },
};

describe.each(Object.entries(files))('%s', (_name, { code, text, first, others = [], lessens = false }) => {
  it('gets the best fix first, and each fix does what it says', () => {
    const { analysis, fixes: all } = fixed(text, code);
    const fixes = all.filter((fix) => fix.finding === all[0].finding);
    expect(fixes[0].title.slice(0, first.length)).toBe(first);
    const titles = fixes.map(({ title }) => title).join('\n');
    for (const other of others) expect(titles).toContain(other);
    for (const fix of fixes) {
      const changed = checkPromise(analysis, fix, { lessens });
      if (code === 'memory/out-of-memory') expect(codesOf(changed), fix.title).not.toContain(code);
    }
  });
});

const h100 = 'import { h100 } from "std:hardware"\n';
const layers = 'layer block[12] = transformer(hidden = 4096, heads = 32, flash = true)';
const head = 'layer head = lm_head(vocab = 32000, hidden = 4096)';
const embed = 'layer embed = embedding(vocab = 32000, hidden = 4096)';

/** Slips of the pen: the message names the cure, and the first fix writes it. */
const slips: readonly (readonly [code: Code, text: string, message: string, title: string])[] = [
  ['syntax/unit', `model m { sequence = 8K  ${layers} }`, 'Did you mean 8192 or 8000?', 'Change to 8192'],
  ['syntax/unit', `model m { sequence = 8x  ${layers} }`, 'This is a plain number. Did you mean 8?', 'Change to 8'],
  [
    'syntax/unit',
    `${h100}model m { sequence = 4096  ${layers} }\ncluster c { gpu[4] = h100  link = 400Gb + 5us }\n${train('microbatches = 8  stages = balance(4)  schedule = 1f1b')}`,
    'Did you mean "Gb/s"?',
    'Change to "400Gb/s": runs, ',
  ],
  ['syntax/unit', 'device d { memory = 80Gb }', 'Did you mean "GB" or "GiB"?', 'Change to "80GB"'],
  ['type/dimension', 'model m { layer a { forward = 5 ms  backward = 9ms } }', 'Expected a time', 'Change to 5ms'],
  [
    'key/unknown',
    'model m { layer a { forward = 5 ms  backward = 9ms } }',
    'no key "ms"',
    'Join "ms" to the number before it',
  ],
  ['key/unknown', 'device d { mem = 16GiB }', 'Did you mean "memory"?', 'Change to "memory"'],
  [
    'name/unknown',
    `model m { layer block[16] { ${small} } }\n${onLink('25GB/s')}${train('microbatches = 8  stages = balance(4)  schedule = interleaved')}`,
    'Did you mean "interleaved_1f1b"?',
    'Change to "interleaved_1f1b"',
  ],
  [
    'value/range',
    `${h100}model m { sequence = 4096  ${layers} }\ncluster c { gpu[12] = h100  link = 400GB/s }\n${train('tensor = 3  microbatches = 8  stages = balance(4)  schedule = 1f1b')}`,
    '32 heads cannot be split over 3 tensor ranks',
    'Change to 2: runs, ',
  ],
  [
    'value/range',
    `${h100}model m { sequence = 4096  ${embed}  ${layers}  ${head} }\ncluster c { gpu[4] = h100  link = 400GB/s }\n${train('microbatches = 8  stages = split(3, 3, 3, 3)  schedule = 1f1b')}`,
    'must be 14, the number of layers in model "m"',
    'Write split(4, 3, 3, 4): runs, ',
  ],
];

it.each(slips)('%s in %s', (code, text, message, title) => {
  const analysis = analyse(text);
  const [fix] = fixesOf(analysis, code);
  expect(fix.finding.message).toContain(message);
  expect(fix.title.slice(0, title.length)).toBe(title);
  expect(fix.preferred).toBe(true);
  const changed = checkPromise(analysis, fix);
  // A unit that stands apart is joined to its number, and nothing else changes.
  if (text.includes(' ms ')) expect(changed.syntax.text).toBe(text.replace(' ms ', 'ms '));
});

it('no fix meets one expectation at the cost of another one', () => {
  const { text, code } = files['a limit of memory that recomputation of attention alone does not meet'];
  const { analysis, fixes } = fixed(text, code);
  for (const fix of fixes) {
    const changed = checkPromise(analysis, fix);
    expect(changed.findings.filter(({ code }) => code === 'expect/failed')).toEqual([]);
  }
});
