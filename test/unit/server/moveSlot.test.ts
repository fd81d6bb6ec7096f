/** Operations of a building block moved to other slots. */
import { describe, expect, it } from 'vitest';
import {
  methods,
  type MoveSlotAnswer,
  type MoveSlotRequest,
  type PlanAnswer,
} from '../../../webview/protocol/requests.ts';
import { applyEdits, main, withClient } from '../../support/server.ts';

/** 1F1B as a block over four devices: F in slots 0, 1, 2, 3, B in 7, 6, 5, 4. */
const block = (forward: string, backward = '2 * devices - 1 - s', more = ''): string =>
  `schedule stamp {\n  period = 2\n  slot(F, s) = ${forward}\n  slot(B, s) = ${backward}${more}\n}\n`;

type Move = Partial<MoveSlotRequest> & Pick<MoveSlotRequest, 'stage' | 'slot'>;

/** The answer, with the text after the edit. */
const moved = (source: string, move: Move) =>
  withClient(async (client) => {
    client.open(main, source);
    const request = { uri: main, schedule: 'stamp', kind: 'F', alone: false, ...move };
    const answer = await client.request<MoveSlotAnswer | null>(methods.moveSlot, request);
    return answer === null ? null : { ...answer, after: applyEdits(source, [answer.edit]) };
  });

describe('a block', () => {
  it('is part of what a preview shows, right or wrong', async () => {
    const shownIn = (source: string) =>
      withClient(async (client) => {
        client.open(main, source);
        return (await client.request<PlanAnswer>(methods.plan, { uri: main })).schedules?.[0];
      });
    const right = await shownIn(block('s'));
    expect(right?.block).toMatchObject({ period: 2, devices: 4 });
    expect(right?.block?.operations.map(({ kind, stage, device, slot }) => [kind, stage, device, slot])).toEqual([
      ...[0, 1, 2, 3].map((s) => ['F', s, s, s]),
      ...[0, 1, 2, 3].map((s) => ['B', s, s, 7 - s]),
    ]);
    // Both in one slot of two.
    const wrong = await shownIn(block('s', '2 * devices - s'));
    expect(wrong?.problem?.message).toContain('equal modulo the period 2');
    expect(wrong?.block?.operations).toHaveLength(8);
    expect(
      (await shownIn('schedule stamp { row(d) = F[0..<microbatches], B[0..<microbatches] }'))?.block,
    ).toBeUndefined();
  });
});

describe('all stages that follow one number', () => {
  it.each([
    ['s', 's + 1'],
    ['s + 1', 's + 2'],
    ['s - 1 + 1', 's - 1 + 2'],
    ['1 + s', '2 + s'],
    ['s - -1', 's + 2'],
    ['2 * s', '2 * s + 1'],
    ['if(s < 2, s, s)', 'if(s < 2, s, s + 1)'],
    ['(if(s < 2, s, 1 * (s)))', '(if(s < 2, s, 1 * (s) + 1))'],
    ['min(s, 9)', 'min(s, 9) + 1'],
  ])('slot(F, s) = %s becomes %s', async (before, after) => {
    const stage = 3;
    const from = { '2 * s': 6, 's + 1': 4, '1 + s': 4, 's - -1': 4 }[before] ?? 3;
    const answer = await moved(block(before, '4 * devices - s'), { stage, slot: from + 1 });
    expect(answer?.after).toBe(block(after, '4 * devices - s'));
    expect(answer?.text).toBe(`slot(F, s) = ${after}`);
    expect(answer?.stages).toEqual(before.includes('if(') ? [2, 3] : [0, 1, 2, 3]);
  });

  it('a number that comes to 0 goes', async () => {
    expect((await moved(block('s + 2'), { stage: 0, slot: 0 }))?.after).toBe(block('s'));
    expect((await moved(block('2 + s'), { stage: 0, slot: 0 }))?.after).toBe(block('s'));
    expect((await moved(block('s + 2'), { stage: 1, slot: 2 }))?.after).toBe(block('s + 1'));
    expect((await moved(block('s', '9 - s - 2'), { kind: 'B', stage: 0, slot: 9 }))?.after).toBe(block('s', '9 - s'));
    expect((await moved(block('s', '9 - s - 2'), { kind: 'B', stage: 0, slot: 10 }))?.after).toBe(
      block('s', '9 - s + 1'),
    );
  });
});

describe('one stage', () => {
  it('gets a term of its own, which changes and goes again', async () => {
    const first = await moved(block('s', '3 * devices - s'), { kind: 'B', stage: 2, slot: 13, alone: true });
    const once = block('s', '3 * devices - s + if(s == 2, 3, 0)');
    expect(first?.after).toBe(once);
    expect(first?.stages).toEqual([2]);
    expect((await moved(once, { kind: 'B', stage: 2, slot: 11, alone: true }))?.after).toBe(
      block('s', '3 * devices - s + if(s == 2, 1, 0)'),
    );
    expect((await moved(once, { kind: 'B', stage: 2, slot: 10, alone: true }))?.after).toBe(
      block('s', '3 * devices - s'),
    );
    expect((await moved(once, { kind: 'B', stage: 1, slot: 13, alone: true }))?.after).toBe(
      block('s', '3 * devices - s + if(s == 2, 3, 0) + if(s == 1, 2, 0)'),
    );
  });
});

describe('a slot that cannot be', () => {
  it('says why: two operations in one slot, a need behind its user', async () => {
    expect((await moved(block('s', '4 * devices - 1 - s'), { stage: 0, slot: 1 }))?.problem).toContain(
      'equal modulo the period 2',
    );
    expect((await moved(block('s'), { stage: 1, slot: 3, alone: true }))?.problem).toMatch(/but needs/);
    expect((await moved(block('s'), { kind: 'B', stage: 0, slot: 9 }))?.problem).toBeUndefined();
  });

  it('says that slots begin at 0', async () => {
    const answer = await moved(block('s', '9 - s'), { kind: 'B', stage: 0, slot: 3 });
    expect(answer?.problem).toMatch(/slot|needs/);
    expect((await moved(block('s + 1'), { stage: 3, slot: 1 }))?.problem).toContain('from 0 to');
  });

  it('is not asked for: no such operation, no change, no whole number', async () => {
    expect(await moved(block('s'), { stage: 9, slot: 1 })).toBeNull();
    expect(await moved(block('s'), { kind: 'W', stage: 0, slot: 1 })).toBeNull();
    expect(await moved(block('s'), { stage: 1, slot: 1 })).toBeNull();
    expect(await moved(block('s'), { stage: 1, slot: 1.5 })).toBeNull();
    expect(await moved(block('s'), { schedule: 'none', stage: 1, slot: 2 })).toBeNull();
  });
});

it('one period later, the whole block is as it was but for its first slot', async () => {
  const answer = await moved(block('s'), { kind: 'B', stage: 0, slot: 9 });
  expect(answer?.after).toBe(block('s', '2 * devices - 1 - s + 2'));
  expect(answer?.problem).toBeUndefined();
});
