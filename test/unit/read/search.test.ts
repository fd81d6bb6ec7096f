import { describe, expect, test } from 'vitest';
import { format, parse } from '../../../grammar/index.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { resolve } from '../../../engine/flow/resolve.ts';
import { checkFindings, checkFix } from '../../support/expected.ts';

const before = `device card { memory = 24GiB }
cluster box { gpu[4] = card  link = 25GB/s }
model toy { layer block[8] { forward = 4ms  backward = 8ms } }
param reserve = 2 in 1..4
let limit = 20GiB
pipeline train { model = toy  devices = box  microbatches = 8  stages = balance(4)  schedule = 1f1b }
`;

/** Without names that nothing uses. */
const plain = before
  .split('\n')
  .filter((line) => !/^(param|let) /u.test(line))
  .join('\n');

const resolved = (text: string) =>
  resolve({
    uri: 'file:///a.pipe',
    syntax: parse(before + text),
    host: { read: () => ({ problem: 'not-found' }), resolve: (path) => path },
    options: defaultOptions,
  });

const faults = (body: string): readonly string[] =>
  resolved(`search train { ${body} }`)
    .findings.filter(({ severity }) => severity === 'error')
    .map(({ code, message }) => `${code}: ${message}`);

describe('search', () => {
  test('has the values of each key as texts, its objective and its limits', () => {
    const { searches, findings } = resolved(`search train {
  tensor in [1, 2,4]
  pipeline in 2..8 step 3
  chunks in 1..<3
  schedule in [1f1b, interleaved_1f1b( chunks=2 )]
  recompute in selective
  reserve in [1, 3..4]
  minimise = peak_memory
  subject_to = peak_memory<limit and bubble < 10%, mfu > 30%
}`);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(searches).toEqual([
      {
        pipeline: 'train',
        axes: [
          { key: 'tensor', values: ['1', '2', '4'] },
          { key: 'pipeline', values: ['2', '5', '8'] },
          { key: 'chunks', values: ['1', '2'] },
          { key: 'schedule', values: ['1f1b', 'interleaved_1f1b(chunks = 2)'] },
          { key: 'recompute', values: ['selective'] },
          { key: 'reserve', values: ['1', '3', '4'] },
        ],
        minimise: 'peak_memory',
        limits: ['peak_memory < limit', 'bubble < 10%', 'mfu > 30%'],
      },
    ]);
  });

  test('a search changes no plan', () => {
    const plans = (text: string) => resolved(text).plan.pipelines;
    expect(plans('search train { tensor in [2]  schedule in [gpipe] }\n')).toEqual(plans(''));
  });

  test('the first search of a pipeline is used; the second is reported, with a fix that removes it', () => {
    const body = 'search train { tensor in [1] }\nsearch train { tensor in [2] }';
    const { searches } = resolved(body);
    expect(searches.map(({ axes }) => axes)).toEqual([[{ key: 'tensor', values: ['1'] }]]);
    checkFindings(plain + body.replace(/train(?= \{ tensor in \[2)/, '⟦error name/duplicate:train⟧'), [
      'The pipeline "train" has more than one search; the first one is used. Put all keys into one.',
    ]);
    checkFix(
      `${plain}search train { tensor in [1] }\n⟦search →⟧⟦name/duplicate:train→⟧⟦ { tensor in [2] }\n→⟧`,
      'Remove the second search',
    );
  });

  test('of more rows than the limit is refused before any is made; as many as the limit are not', () => {
    const values = (count: number) => Array.from({ length: count }, (_, at) => at + 1).join(', ');
    const body = (tensor: number) =>
      `search train { tensor in [${values(tensor)}]  pipeline in [${values(100)}]  data in [${values(100)}] }`;
    expect(resolved(body(100)).searches).toHaveLength(1);
    expect(resolved(body(101)).searches).toEqual([]);
    checkFindings(plain + body(101).replace('search train', 'search ⟦error limit/too-large:train⟧'), [
      'Rows of this search: 1,010,000, over the limit of 1,000,000. Reduce it, or raise the setting "pipewright.limits.searchRows" in an editor; the command line\'s limit is fixed.',
    ]);
  });

  test('params and the pipeline are renamed with their uses', () => {
    const { symbols } = resolved('search train { reserve in [1] }');
    const uses = (id: string) => symbols.references.filter(({ symbol }) => symbol === id).length;
    expect(uses('param:reserve')).toBe(2);
    expect(uses('pipeline:train')).toBe(2);
  });

  test.each([
    ['tensor in []', 'type/mismatch: Expected at least one value, found an empty list.'],
    ['tensor in [0]', 'value/range: "tensor" is 0; it must be a whole number of at least 1.'],
    ['tensor in [two]', 'name/unknown: Unknown name "two".'],
    [
      'tensor in 4..2',
      'type/mismatch: Expected a range from the smaller to the larger number, `2..4`, found `4..2`, which is backwards.',
    ],
    [
      'tensor in 16..2 step 2',
      'type/mismatch: Expected a range from the smaller to the larger number, `2..16 step 2`, found `16..2`, which is backwards.',
    ],
    ['tensor in 4..<4', 'type/mismatch: Expected a range with a number in it, found `4..<4`.'],
    ['tensor in 1..8 step 0', 'type/mismatch: Expected a step of more than 0, found 0.'],
    ['tensor in 1..99999', 'type/mismatch: Expected at most 10,000 values, found 99,999.'],
    ['tensor = 4', 'type/mismatch: Expected `tensor in [8]`, found `tensor = …`.'],
    ['tensor in [1]  tensor in [2]', 'key/duplicate: "tensor" is set twice in this search; the first one is used.'],
    ['tensr in [1]', 'key/unknown: A search has no key "tensr". Did you mean "tensor"?'],
    [
      'stages in [balance(2)]',
      'key/unknown: A search has no key "stages". It cannot be searched: stages follow from "pipeline" and "chunks".',
    ],
    ['schedule in [1f1bb]', 'name/unknown: Unknown policy "1f1bb". Did you mean "1f1b"?'],
    ['recompute in [selectiv]', 'name/unknown: Unknown value "selectiv". Did you mean "selective"?'],
    ['recompute in [none, 1]', /^type\/mismatch: Expected `none`.* found a plain number/],
    ['recompute in [full(layer = 2)]', /^key\/unknown: .*"layer"\. Did you mean "layers"/],
    ['schedule in [interleaved_1f1b(chunk = 2)]', /^key\/unknown: .*"chunk"\. Did you mean "chunks"/],
    ['schedule in [gpipe, 4]', /^type\/mismatch: Expected a schedule/],
    ['optimizer in [megatron_bf16(shard = distribute)]', /"distribute"/],
    ['sequence_parallel in [1]', /^type\/mismatch: Expected `true`/],
    ['minimise = iteraton', 'name/unknown: Unknown value "iteraton". Did you mean "iteration"?'],
    ['minimise in [iteration]', 'type/mismatch: Expected `minimise = iteration`, found `minimise in …`.'],
    ['subject_to = peek_memory < 3GiB', 'name/unknown: Unknown figure "peek_memory". Did you mean "peak_memory"?'],
    ['subject_to = peak_memory < 3ms', 'type/dimension: Expected bytes, found a time; write for example `16GiB`.'],
    ['tensor in', 'syntax/unexpected: Expected a value after "in", found "}".'],
  ])('%s', (body, message) => {
    expect(faults(body)).toEqual([typeof message === 'string' ? message : expect.stringMatching(message)]);
    expect(resolved(`search train { ${body} }`).searches).toEqual([]);
  });

  test('of no pipeline is reported once', () => {
    const { findings } = resolved('search trian { tensor in [1] }');
    const errors = findings.filter(({ severity }) => severity === 'error').map(({ message }) => message);
    expect(errors).toEqual(['Unknown pipeline "trian". Did you mean "train"?']);
  });

  test('an unfinished entry costs only itself', () => {
    const { declarations, errors } = parse(
      'search train {\n  tensor in\n  pipeline in [1]\n  minimise = iteration\n}\n',
    );
    expect(errors.map(({ message }) => message)).toEqual(['Expected a value after "in", found "pipeline".']);
    const [search] = declarations;
    const keys =
      search.kind === 'block' ? search.body?.entries.map((each) => each.kind === 'entry' && each.key.text) : [];
    expect(keys).toEqual(['tensor', 'pipeline', 'minimise']);
  });

  test('`in` and `search` stay names in other places', () => {
    expect(parse('model search { layer in { forward = 1ms } }\nlet x = search\n').errors).toEqual([]);
    expect(parse('schedule s { in = 1 }\npipeline p { schedule = search(effort = 2) }').errors).toEqual([]);
  });

  test('is laid out like other blocks', () => {
    const result = format(
      parse('search train{tensor in[1,2]\npipeline  in 1 .. 8 step 2 // why\nsubject_to=mfu>30%,bubble<9%}'),
    );
    expect(result.ok && result.text).toBe(
      'search train {\n  tensor in [1, 2]\n  pipeline in 1..8 step 2  // why\n  subject_to = mfu > 30%, bubble < 9%\n}\n',
    );
    expect(result.ok && format(parse(result.text))).toEqual(result);
  });
});
