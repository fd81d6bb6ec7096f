import { describe, expect, test } from 'vitest';
import { blocks, type BlockName, type KeySchema } from '../../../engine/language/schema.ts';
import { defaultValue, isRequired } from '../../../engine/language/keyFacts.ts';
import { analyse } from '../../support/analyse.ts';

/** A file in which `§block§` marks where an entry of a block goes. */
const derived = `
device card { memory = 80GiB  compute = 300TFLOPS  bandwidth = 2TB/s §device§ }
cluster pod { node[2] { gpu[2] = card  link = 100GB/s + 3us §node§ }  link = 20GB/s + 5us }
model m {
  sequence = 256
  layer embed = embedding(vocab = 1000, hidden = 256)
  layer block[6] { shape = transformer(hidden = 256, heads = 4) §layer§ }
  layer head = lm_head(vocab = 1000, hidden = 256)
  §model§
}
pipeline p {
  model = m  devices = pod  microbatches = 4  schedule = 1f1b  optimizer = adam_mixed
  stage first { layers = embed, block[0..2]  on = gpu[0] §stage§ }
  stage last { layers = block[3..5], head  on = gpu[1] }
  §pipeline§
}
search p { micro_batch in [1, 2] §search§ }
`;

const measured = (layer: string, schedule: string, more = '', pipeline = ''): string => `
device card { memory = 80GiB }
cluster box { gpu[4] = card  link = 25GB/s + 5us §cluster§ }
model m { layer block[4] { ${layer} §layer§ } }
${schedule}
pipeline p { model = m  devices = box  microbatches = 4  stages = balance(4) ${pipeline} §pipeline§ }
${more}
`;
const times = 'forward = 4ms  backward = 8ms';
const rows = 'row(d) = F[0..<microbatches], B[0..<microbatches]';
const use = 'schedule = own';
const rowsFile = measured(times, `schedule own { ${rows} §schedule§ }`, '', use);
const ruleFile = measured(
  times,
  'schedule own { order = greedy(prefer = [B, F])  placement = loop(2) §schedule§ }',
  '',
  use,
)
  .replace('block[4]', 'block[8]')
  .replace('balance(4)', 'balance(8)');
const slotFile = measured(
  times,
  'schedule own { slot(F, s, j) = j + s  slot(B, s, j) = microbatches + 2 * stages + j - s §schedule§ }',
  '',
  use,
);
const onFile = measured(times, `schedule own { on(s, j) = s  ${rows} §schedule§ }`, '', use);
const operationFile = measured(
  times,
  'schedule own { operation extra { after(j) = F[j] §operation§ }  row(d) = F[0..<microbatches], extra[0], B[0..<microbatches] }',
  '',
  use,
);
const jobFile = `
device card { memory = 80GiB }
cluster box { gpu[4] = card  link = 25GB/s + 5us }
model m { layer block[4] { ${times}  weights = 1MiB } }
pipeline one { model = m  devices = box  microbatches = 4  schedule = pipedream(in_flight = 2)
  stage a { layers = block[0..1]  on = gpu[0] }  stage b { layers = block[2..3]  on = gpu[1] } }
pipeline two { model = m  devices = box  microbatches = 4  schedule = pipedream(in_flight = 2)
  stage a { layers = block[0..1]  on = gpu[2] }  stage b { layers = block[2..3]  on = gpu[3] } }
job both { workers = [one, two]  sync = wsp(distance = 0)  link = 7GB/s §job§ }
`;
const fillFile = measured(
  times,
  '',
  'model small { layer x[2] { forward = 100us  backward = 200us } }',
  'schedule = gpipe  fill = training(small)',
);
const imagesFile = derived.replace('heads = 4)', 'heads = 4)  tokens = 128');

/** Where a key is tried, if not in the first file that has its block. */
const texts: Readonly<Record<string, string>> = {
  'cluster.hosts': rowsFile,
  'pipeline.fill_overhead': fillFile,
  'schedule.placement': rowsFile,
  'layer.images': imagesFile,
  'schedule.spare': onFile,
  'schedule.idle': onFile,
  'schedule.fill': slotFile,
  'schedule.ties': ruleFile,
};
const first: Readonly<Partial<Record<BlockName, string>>> = {
  schedule: rowsFile,
  operation: operationFile,
  job: jobFile,
};
/** Keys of a measured layer; one of them must not be its only cost. */
const ofMeasured = ['forward', 'weights', 'activation', 'output', 'workspace'];

function textFor(block: BlockName, { name }: KeySchema): string {
  if (block === 'layer' && ofMeasured.includes(name))
    return measured(name === 'forward' ? 'backward = 8ms' : times, '', '', 'schedule = 1f1b');
  return texts[`${block}.${name}`] ?? first[block] ?? derived;
}

const known = new Map<string, unknown>();

function reportsOf(text: string, block: BlockName, entry: string): unknown {
  const filled = text.replaceAll(/§(\w+)§/g, (_, at: string) => (at === block ? entry : ''));
  const found = known.get(filled) ?? reportsOfFile(filled);
  known.set(filled, found);
  return found;
}

function reportsOfFile(text: string): unknown {
  const { pipelines, jobs, findings, resolution } = analyse(text);
  const errors = findings.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  const reports = [...pipelines.map(({ run }) => run?.report), ...jobs.map(({ report }) => report)];
  return { errors, reports, searches: resolution.searches };
}

const keys = Object.values(blocks).flatMap((block) => block.keys.map((key) => ({ block: block.name, key })));
const written = keys.flatMap(({ block, key }) => {
  const value = defaultValue(key);
  return value === undefined ? [] : [{ block, key, at: `${block}.${key.name}`, value }];
});

describe('leaving a key out, and writing its default, give the same report', () => {
  test.each(written)('$at', ({ block, key, value }) => {
    const text = textFor(block, key);
    expect(text).toContain(`§${block}§`);
    const without = reportsOf(text, block, '');
    expect(without).toMatchObject({ errors: [] });
    expect(JSON.stringify(reportsOf(text, block, `${key.name} = ${value}`))).toBe(JSON.stringify(without));
  });
});

test('another value gives another report, so the files notice the keys', () => {
  const others: Readonly<Record<string, string>> = {
    'device.efficiency': '50%',
    'device.launch': '10us',
    'pipeline.message_overhead': '1ms',
    'model.micro_batch': '2',
    'pipeline.fill_overhead': '1ms',
    'job.servers': '2',
    'job.waves': '64',
    'operation.time': '1ms',
    'schedule.ties': 'deepest',
    'layer.workspace': '64MiB',
    'search.minimise': 'peak_memory',
  };
  const same = written.filter(({ at, block, key }) => {
    const other = others[at];
    if (other === undefined) return false;
    const text = textFor(block, key);
    return (
      JSON.stringify(reportsOf(text, block, `${key.name} = ${other}`)) === JSON.stringify(reportsOf(text, block, ''))
    );
  });
  expect(same.map(({ at }) => at)).toEqual([]);
  expect(Object.keys(others).filter((at) => !written.some((each) => each.at === at))).toEqual([]);
});

test('a key that must be written is one that the block asks for', () => {
  for (const { block, key } of keys) {
    const others = blocks[block].keys.filter((each) => each !== key && isRequired(each));
    if (isRequired(key)) expect(defaultValue(key), key.name).toBeUndefined();
    expect(others.map(({ name }) => name)).not.toContain(key.name);
  }
});
