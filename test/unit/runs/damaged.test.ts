/** What is wrong with a trace is reported at its place. Each fault is put into a whole recording of two ranks. */
import * as fc from '../../support/property.ts';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { assemble } from '../../../engine/formats/kineto/assemble.ts';
import type { RankTrace } from '../../../engine/formats/kineto/rankTrace.ts';
import { readTrace, recordingOf, textOf, traceOf } from './traces.ts';

const text = textOf('mlp_1f1b_p2.rank0.json.gz');
const other = traceOf('mlp_1f1b_p2.rank1.json.gz');
const lines = text.split('\n');
const lineOf = (name: string, nth = 0): number =>
  lines.flatMap((line, at) => (line.includes(`"name":"${name}"`) ? [at] : []))[nth];

/** The text with one line changed, or gone. */
const edited = (at: number, by: (line: string) => string | undefined): string =>
  lines.flatMap((line, index) => (index === at ? (by(line) ?? []) : [line])).join('\n');

function faultOf(source: string, file = 'rank0.json'): { readonly at: string; readonly message: string } {
  const read = readTrace(file, source);
  if ('message' in read) return { at: `${read.line + 1}:${read.character + 1}`, message: read.message };
  const assembled = assemble([read, other]);
  const [fault] = 'faults' in assembled ? assembled.faults : assembled.remarks;
  return { at: `${fault.line + 1}:${fault.character + 1}`, message: fault.message };
}

describe('faults of a trace', () => {
  const at = lineOf('PP:0F3', 2);

  test.each([
    ['an unknown label', edited(at, (line) => line.replace('0F3', '0X3')), at, '`0X3` is not an action of a schedule.'],
    ['no duration', edited(at, (line) => line.replace(/"dur":[\d.]+,/, '')), at, 'This event has no "dur"'],
    [
      'a negative duration',
      edited(at, (line) => line.replace(/"dur":[\d.]+/, '"dur":-4.5')),
      at,
      '"dur" is −4.5: it must be at least 0 µs.',
    ],
    ['an event that is no JSON', edited(at, (line) => line.replace('"ts":', '"ts"')), at, 'This event is not JSON.'],
    ['a comma too few', edited(at, (line) => line.slice(0, -1)), at + 1, 'Expected "," or "]" after an event.'],
  ])('%s', (_, source, line, message) => {
    const fault = faultOf(source);
    expect(fault.at).toBe(`${line + 1}:1`);
    expect(fault.message).toContain(message);
  });

  test('a trace that is cut off names the place, and what was whole can be read', () => {
    const cut = lines.slice(0, lineOf('PP:0B4', 3)).join('\n');
    const read = readTrace('rank0.json', `${cut}\n{"ph":"X","name":"PP:0`);
    expect(read).toMatchObject({ line: cut.split('\n').length, character: 0 });
    expect('message' in read && read.message).toBe('The file ends in the middle of the trace.');
    const { partial } = read as { readonly partial?: readonly RankTrace[] };
    expect(partial?.[0].computing.length).toBeGreaterThan(40);
  });

  test('a step without one of its operations is left out, and the others are not', () => {
    const first = lineOf('PP:0F0', 2);
    const fault = faultOf(edited(at, () => undefined));
    expect(fault).toEqual({
      at: `${first + 1}:1`,
      message: 'rank 0, step 2: 0F3 is missing, so the step is left out.',
    });
    const without = assemble([
      traceOf(
        'rank0.json',
        edited(at, () => undefined),
      ),
      other,
    ]);
    expect('faults' in without ? [] : without.recordings[0].steps.map(({ number }) => number)).toEqual([0, 1, 3]);
  });

  test('a rank that nobody names is asked for', () => {
    const source = text.replace(/"distributedInfo": \{.*?\}\]\}, /, '');
    expect(faultOf(source, 'trace.json').message).toContain('does not say its rank');
    expect(traceOf('rank_7.json.gz', source).rank).toBe(7);
  });

  test('a stage on two ranks is asked about, never guessed', () => {
    const twin = { ...traceOf('rank2.json', text), rank: 2 };
    const assembled = assemble([traceOf('rank0.json', text), other, twin]);
    expect('faults' in assembled ? assembled.faults[0].message : '').toContain('Stage 0 ran on rank 0 and on rank 2.');
  });

  test('a missing rank is named', () => {
    const alone = assemble([other]);
    expect('faults' in alone ? alone.faults[0].message : '').toContain('No trace has stage 0, but stage 1 ran.');
    const known = assemble([{ ...other, pipelineRanks: [0, 1] }]);
    expect('faults' in known ? known.faults[0].message : '').toContain('there is no trace of rank 0');
  });

  test('Schedule1F1B has no labels: the way out is named', () => {
    const read = readTrace('rank0.json', textOf('native_schedule1f1b_p2.rank0.json.gz'));
    expect('message' in read ? read.message : '').toContain('pipeline_parallel_schedule_csv');
  });

  test.each([
    '',
    '{',
    '[]',
    '{"hidden_size": 4096}',
    '{"traceEvents": []}',
    '{"traceEvents": 3}',
    'PP:0F0',
    '{"a":1}}',
  ])('no trace: %s', (source) => {
    expect(readTrace('rank0.json', source)).toHaveProperty('message');
  });
});

describe('reading', () => {
  test('does not depend on where chunks end', () => {
    const whole = readTrace('rank0.json', text, text.length);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3000 }), (chunk) => {
        expect(readTrace('rank0.json', text, chunk)).toEqual(whole);
      }),
      { numRuns: 6 },
    );
  });

  test('never throws, whatever is damaged', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: text.length - 1 }),
        fc.constantFrom('"', '{', ']', '', '\\', '-', '9e999'),
        (at, by) => {
          const read = readTrace('rank0.json', text.slice(0, at) + by + text.slice(at + 1));
          if (!('message' in read)) assemble([read, other]);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('a trace with every event, indented, is the same', () => {
    const recording = recordingOf('full_1f1b_p2');
    expect(recording.steps.map(({ rows }) => rows.map(({ kind }) => kind.length))).toEqual([
      [16, 16],
      [16, 16],
    ]);
  });

  test('a list of events alone is a trace, and events may come before their clock', () => {
    const events = text.slice(text.indexOf('['.concat('\n')), text.lastIndexOf(']') + 1);
    expect(traceOf('rank0.json', events).computing.length).toBe(64);
    const later = `{"traceEvents": ${events}, "baseTimeNanoseconds": 1790857026000000123, "distributedInfo": {"rank": 4}}`;
    expect(traceOf('x.json', later)).toMatchObject({ rank: 4, base: 1790857026000000123n });
  });

  test('keeps no more of a large trace than it needs', () => {
    const read = path.resolve(import.meta.dirname, '../../../engine/formats/kineto/read.ts');
    // 120 MB of events that nobody needs. Each chunk is new, so keeping them would show.
    const script = `
      import { traceReader } from ${JSON.stringify(pathToFileURL(read).href)};
      const event = '{"ph":"X","cat":"cpu_op","name":"aten::linear","ts":4448286122112.53,"dur":3.5,"args":{"id":1}},\\n';
      const reader = traceReader('rank0.json');
      reader.push(Buffer.from('{"traceEvents": ['));
      for (let at = 0; at < 120; at += 1) if (reader.push(Buffer.from(event.repeat(10000))) !== undefined) throw new Error();
      global.gc();
      console.log(process.memoryUsage().arrayBuffers);`;
    const out = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    expect(Number(out)).toBeLessThan(8e6);
  });
});
