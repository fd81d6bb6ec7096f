import { describe, expect, it } from 'vitest';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { B, F } from '../../../engine/values/program.ts';
import { guardOf, guardsOf } from '../../../webview/picture/guards.ts';
import type { FromPage } from '../../../webview/protocol/messages.ts';
import { highlightAt, highlights } from '../../../webview/session/highlight.ts';
import { readMessage } from '../../../webview/session/incoming.ts';
import { origins } from '../../../webview/session/origins.ts';
import { isWritten, writtenOperations } from '../../../webview/session/writtenOperations.ts';
import { planOf } from '../../support/resolve.ts';
import { pipelineOf } from '../sequences/written.ts';

/** Bits of positions, in base64. */
function bits(length: number, ...positions: readonly number[]): string {
  const bytes = new Uint8Array(Math.ceil(length / 8));
  for (const position of positions) bytes[position >> 3] |= 1 << (position & 7);
  return Buffer.from(bytes).toString('base64');
}

const plan = planOf(pipelineOf('schedule mine { row(d) = F[0..3], zip(F[4..7], B[0..7]) }', { microbatches: 8 }));
const other = planOf(pipelineOf('', { use: '1f1b' }));
/** F4 and B0 on device 0, nothing on device 1. */
const marks = { pipeline: 'train', operations: 32, rows: [bits(16, 4, 5), ''] };

const all = ({
  stages,
  microbatches,
}: PipelinePlan): readonly (readonly [kind: number, stage: number, microbatch: number])[] =>
  [F, B].flatMap((kind) =>
    [...stages.keys()].flatMap((stage) =>
      Array.from({ length: microbatches }, (_, microbatch) => [kind, stage, microbatch] as const),
    ),
  );

describe('operations of the text at the cursor', () => {
  it('are those whose bits are set, by their kind, stage and microbatch', () => {
    const written = writtenOperations(plan, marks);
    expect(written?.count).toBe(2);
    expect(all(plan).filter((operation) => written !== undefined && isWritten(written, ...operation))).toEqual([
      [F, 0, 4],
      [B, 0, 0],
    ]);
  });

  it('are unknown where the bits belong to other rows', () => {
    for (const rows of [[bits(16, 4)], [bits(24, 4), ''], ['', bits(8, 1)], undefined])
      expect(writtenOperations(plan, { ...marks, rows })).toBeUndefined();
    expect(writtenOperations(other, marks)).toBeUndefined();
  });

  it('take the place of all else at the cursor, in their own pipeline', () => {
    const groups = [['train/row:1/item:0']];
    expect(highlightAt(plan, groups, [marks])).toMatchObject({ written: { count: 2 }, items: new Set() });
    expect(highlightAt(plan, groups, [])).toMatchObject({ items: new Set(['1:0']) });
    expect(highlightAt(plan, groups, [{ ...marks, pipeline: 'else' }])).not.toHaveProperty('written');
    expect(highlightAt(plan, groups, [{ pipeline: 'train', operations: 9e6 }])).toMatchObject({
      tooMany: 9e6,
      items: new Set(['1:0']),
    });
  });

  it('are found again for another plan, and once for the same', () => {
    const newest = highlights();
    newest.set([], [marks]);
    const found = newest.of(plan);
    expect(found.written?.count).toBe(2);
    expect(newest.of(plan)).toBe(found);
    expect(newest.of(other).written).toBeUndefined();
    newest.set([], []);
    expect(newest.of(plan).written).toBeUndefined();
  });
});

it('a condition of a rule marks the operations that have to pass it', () => {
  const rule = planOf(
    pipelineOf(`schedule mine {
      order = greedy(prefer = [B, F])
      allow(F, s) = held(s) < stages - s + 1
      allow(B, s) = done(F) > 0
    }`),
  );
  expect([...highlightAt(rule, [['train/guard:0']], []).guarded]).toEqual(['F:0', 'F:1']);
  expect([...highlightAt(rule, [['train/guard:1'], ['train']], []).guarded]).toEqual(['B:0', 'B:1']);
  expect(guardOf(rule, 'F', 1)).toMatchObject({ written: 0, stage: 1 });
  expect(guardsOf(rule, 'W', 1)).toEqual([]);
  expect(guardsOf(plan, 'F', 1)).toEqual([]);
});

describe('what wrote a block', () => {
  const answer = (request: number, value: string) =>
    ({ type: 'origin', request, lines: [['Written by', value]] }) as const;

  it('is asked once, and an answer to an older question is dropped', () => {
    const posted: FromPage[] = [];
    let found = 0;
    const known = origins(
      (message) => posted.push(message),
      () => (found += 1),
    );
    known.want(plan, 'a');
    known.want(plan, 'a');
    known.want(plan, 'b');
    expect(posted).toEqual([
      { type: 'origin', request: 1, path: 'a' },
      { type: 'origin', request: 2, path: 'b' },
    ]);
    known.answered(answer(1, 'F[0]'));
    expect([found, known.lines(plan, 'a'), known.lines(plan, 'b')]).toEqual([0, undefined, undefined]);
    known.answered(answer(2, 'F[1]'));
    expect([found, known.lines(plan, 'b')]).toEqual([1, [['Written by', 'F[1]']]]);
    known.want(plan, 'b');
    expect(posted).toHaveLength(2);
  });

  it('is asked again for another plan', () => {
    const posted: FromPage[] = [];
    const known = origins(
      (message) => posted.push(message),
      () => undefined,
    );
    known.want(plan, 'a');
    known.answered(answer(1, 'F[0]'));
    expect(known.lines(other, 'a')).toBeUndefined();
    known.want(other, 'a');
    expect(posted).toHaveLength(2);
    expect(known.lines(plan, 'a')).toBeUndefined();
  });
});

it('messages about written operations are checked', () => {
  const highlight = { type: 'highlight', groups: [['train']], blocks: [marks] };
  expect(readMessage(highlight)).toEqual(highlight);
  const unmarked = { type: 'highlight', groups: [['train']] };
  for (const bad of [
    [{ ...marks, rows: ['<b>'] }],
    [{ ...marks, rows: [1] }],
    [{ ...marks, operations: -1 }],
    'x',
    [1],
  ])
    expect(readMessage({ ...highlight, blocks: bad })).toEqual(unmarked);
  const origin = { type: 'origin', request: 1, lines: [['Written by', 'F[0]']] };
  expect(readMessage(origin)).toEqual(origin);
  for (const lines of [['a'], [['a']], [['a', 1]], undefined])
    expect(readMessage({ ...origin, lines })).toBeUndefined();
});
