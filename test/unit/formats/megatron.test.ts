import * as fc from '../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { importText } from '../../../engine/formats/importText.ts';
import { flagsOf } from '../../../engine/formats/megatron/flags.ts';
import { readLayout } from '../../../engine/formats/megatron/layout.ts';
import { stagesOf } from '../../../engine/formats/megatron/stages.ts';
import { isMegatron, pipeOfMegatron } from '../../../engine/formats/megatron/toPipe.ts';
import { analyse } from '../../support/analyse.ts';

const stagesIn = (text: string): readonly string[] => {
  const read = readLayout(text);
  return 'faults' in read ? ['fault'] : read.stages.map((own) => own.map((placed) => placed.symbol).join(''));
};
const given = (args: string) => {
  const read = stagesOf(flagsOf(args), { text: args, values: new Map() });
  return 'faults' in read
    ? read.faults.map((fault) => `${args.slice(fault.start, fault.end)}: ${fault.message}`)
    : read.stages.map((own) => own.join(''));
};

describe('layouts', () => {
  // Layouts of Megatron-LM's documentation, tests and issue 5391.
  test.each([
    ['Et*3|(tt|)*29,m|L', ['Ettt', ...new Array<string>(29).fill('tt'), 'm', 'L']],
    ['E|t*3|(t|)*5mL', ['E', 'ttt', 't', 't', 't', 't', 't', 'mL']],
    ['E|t*3|(t|)*4tm|L', ['E', 'ttt', 't', 't', 't', 't', 'tm', 'L']],
    ['E|t*3|(t|)*3tt|m|L', ['E', 'ttt', 't', 't', 't', 'tt', 'm', 'L']],
    ['Et*2|(t*2|)*34,t*3|(t*2|)*3,tL', ['Ett', ...new Array<string>(34).fill('tt'), 'ttt', 'tt', 'tt', 'tt', 'tL']],
    ['E||t|L', ['E', '', 't', 'L']],
    ['E|*3t|L', ['E', '', '', 't', 'L']],
  ])('%s', (text, stages) => expect(stagesIn(text)).toEqual(stages));

  test('the example of the documentation on 16 ranks: 3t/2t, 2t/2t, 2t/m, 2t/L', () => {
    const stages = given(
      '--pipeline-model-parallel-layout "Et*3|(tt|)*29,m|L" --pipeline-model-parallel-size 16 --num-layers 61 --mtp-num-layers 1',
    );
    const ranks = Array.from({ length: 16 }, (_, rank) => `${stages[rank]}/${stages[rank + 16]}`);
    expect(ranks).toEqual(['Ettt/tt', ...new Array<string>(13).fill('tt/tt'), 'tt/m', 'tt/L']);
  });

  test.each([
    ['Ex|L', 'x', 'not a symbol'],
    ['E(t|(t)*2)*2L', '(', 'cannot be nested'],
    ['E(tt|L', '(', 'not closed'],
    ['Ett)*2|L', ')', 'closes a group that was not opened'],
    ['E(tt)|L', ')', 'needs a number of times'],
    ['E()*2|L', '()', 'empty'],
    ['Et*|L', '*', 'needs a number after it'],
    ['*3E|L', '*', 'needs a symbol or a group before it'],
    ['Et*99999999|L', 't*99999999', 'more than 100,000 layers'],
  ])('a fault in %s', (text, place, message) => {
    const read = readLayout(text);
    const [fault] = 'faults' in read ? read.faults : [];
    expect(text.slice(fault.start, fault.end)).toBe(place);
    expect(fault.message).toContain(message);
  });

  const layout = (text: string, more = '') => given(`--pipeline-model-parallel-layout ${text} ${more}`);
  test.each([
    ['tt|L', '', '0 embeddings'],
    ['Et|Et|L', '', '2 embeddings'],
    ['t|E|L', '', 'must come first'],
    ['Et|t', '', '0 losses'],
    ['EL|L', '', '2 losses'],
    ['E|L|t', '', 'must come last'],
    ['Et|t|L', '--num-layers 3', 'has 2 transformer layers (t), and `--num-layers` says 3'],
    ['Et|m|L', '--mtp-num-layers 2', 'has 1 prediction layers'],
    ['Et|m|mL', '', 'in one stage'],
    ['Et|mt|L', '', 'comes after a prediction layer'],
    ['Et|m|t|L', '--pipeline-model-parallel-size 2', 'last virtual stage'],
    ['Et|t|m|L', '--pipeline-model-parallel-size 2', 'not be on pipeline rank 0'],
    ['Et|t|L', '--pipeline-model-parallel-size 2', '3 stages, which 2 pipeline ranks'],
    ['Et|L', '--decoder-first-pipeline-num-layers 1', 'Use only one of them'],
  ])('%s %s is refused', (text, more, message) => {
    expect(layout(text.replaceAll('(', '\\('), more).join('\n')).toContain(message);
  });
});

describe('layers shared out by flags', () => {
  const args = (more: string) => given(`--pipeline-model-parallel-size 4 --num-layers ${more}`);
  test('equally, and in virtual stages', () => {
    expect(args('8')).toEqual(['Ett', 'tt', 'tt', 'ttL']);
    expect(args('8 --num-layers-per-virtual-pipeline-stage 1')).toEqual(['Et', 't', 't', 't', 't', 't', 't', 'tL']);
    expect(args('8 --num-virtual-stages-per-pipeline-rank=2')).toHaveLength(8);
  });
  test('with the embedding and the loss as layers, as Llama 3 405B does (126 on 16 ranks)', () => {
    const own = '--account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split';
    expect(args(`14 ${own}`)).toEqual(['Ettt', 'tttt', 'tttt', 'tttL']);
    const stages = given(
      `--pipeline-model-parallel-size 16 --num-layers 126 ${own} --num-virtual-stages-per-pipeline-rank 8`,
    );
    expect(stages).toHaveLength(128);
    expect([stages[0], stages[1], stages[127]]).toEqual(['E', 't', 'L']);
  });
  test('with numbers of their own for the first and the last rank', () => {
    expect(args('10 --decoder-first-pipeline-num-layers 3 --decoder-last-pipeline-num-layers 1')).toEqual([
      'Ettt',
      'ttt',
      'ttt',
      'tL',
    ]);
  });
  test.each([
    ['9', '9: 9 layers are not shared evenly'],
    ['x', 'x: `--num-layers` needs a whole number'],
    ['8 --num-layers-per-virtual-pipeline-stage 3', 'do not divide'],
    ['8 --num-layers-per-virtual-pipeline-stage 1 --num-virtual-stages-per-pipeline-rank 2', 'Only one of'],
    ['10 --decoder-first-pipeline-num-layers 3', '3 ranks do not share evenly'],
    ['10 --decoder-first-pipeline-num-layers 3 --account-for-loss-in-pipeline-split', 'cannot be counted as layers'],
  ])('%s is refused', (more, message) => expect(args(more).join('\n')).toContain(message));
});

test('quotes, comments, line ends and equal signs of a script', () => {
  const script =
    'python a.py \\\n  --num-layers=8 \\\n  # --num-layers 9\n  --pipeline-model-parallel-layout=\'Et|L\' --x "a b"';
  const flags = flagsOf(script);
  expect(flags.get('num-layers')?.value?.text).toBe('8');
  expect(flags.get('pipeline-model-parallel-layout')?.value?.text).toBe('Et|L');
  expect(flags.get('x')?.value?.text).toBe('a b');
  for (const { value } of flags.values()) expect(script.slice(value?.start, value?.end)).toBe(value?.text);
});

test.each([
  'Et*3|(tt|)*29,m|L',
  'E||t|L',
  'E|t*3|(t|)*5mL',
  '--num-layers 16 --pipeline-model-parallel-size 4 --num-virtual-stages-per-pipeline-rank 2 --microbatch-group-size-per-virtual-pipeline-stage 6',
])('what is imported from %s runs', (text) => {
  const made = importText(text);
  if (made === undefined || 'faults' in made) throw new Error('not imported');
  const analysis = analyse(made.pipe);
  expect(analysis.findings.filter((finding) => finding.severity === 'error')).toEqual([]);
  expect(analysis.pipelines[0].run?.report.iteration).toBeGreaterThan(0);
});

test('any text is imported or refused with places in it', () => {
  const part = fc.constantFrom(
    'E',
    't',
    'm',
    'L',
    '|',
    ',',
    '(',
    ')',
    '*',
    '3',
    ' ',
    '"',
    '--num-layers',
    '--pipeline-model-parallel-size',
    '--pipeline-model-parallel-layout',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 15 }), (parts) => {
      const text = parts.join('');
      if (!isMegatron(text)) return true;
      const made = pipeOfMegatron(text);
      if (!('faults' in made)) return made.pipe.length > 0;
      return (
        made.faults.length > 0 &&
        made.faults.every(({ start, end }) => start >= 0 && start <= end && end <= text.length)
      );
    }),
    { numRuns: 2000 },
  );
});

test('as many layers and predictions as the flags may say', () => {
  const layers = '--num-layers 4 --pipeline-model-parallel-size 2 --mtp-num-layers 999999';
  expect(given(layers).map(({ length }) => length)).toEqual([3, 1_000_002]);
  expect(stagesIn(`E(${'t'.repeat(50_000)}|)*1${'t'.repeat(49_000)}L`).map(({ length }) => length)).toEqual([
    50_001, 49_001,
  ]);
});
