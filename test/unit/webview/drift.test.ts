/** Two timelines side by side: which operations are the same, which differ, and what is said of them. */
import { describe, expect, it } from 'vitest';
import { driftedBlocks, driftOf, pairColumns, pairedOperations } from '../../../webview/picture/drift.ts';
import { rowPairs } from '../../../webview/picture/rowPairs.ts';
import { driftSentence, pairedBlockWords, rowsSentence } from '../../../webview/session/driftWords.ts';
import { columnsOf } from '../../../webview/worker/makeColumns.ts';
import { runOf } from '../../support/analyse.ts';
import { pipe } from '../fixes/file.ts';

const file = (schedule: string, extra = '') =>
  pipe({ memory: '16GiB', pipeline: `  microbatches = 4\n  stages = balance(4)\n  schedule = ${schedule}${extra}` });

function side(text: string) {
  const { plan, run } = runOf(text);
  return { plan, columns: columnsOf(plan, run.timeline) };
}

function sideBySide(upper: string, lower: string) {
  const [above, below] = [side(upper), side(lower)];
  const names = (plan: (typeof above)['plan']) => plan.devices.map(({ name }) => name);
  const rows = rowPairs(names(above.plan), names(below.plan));
  const pair = pairColumns({ upper: above.columns, lower: below.columns }, rows.rows);
  return { pair, rows, plans: { upper: above.plan, lower: below.plan } };
}

const names = { upper: 'a.pipe: train', lower: 'b.pipe: train' };

describe('operations side by side', () => {
  it('are the same in a file and its copy, and none differs', () => {
    const { pair, plans } = sideBySide(file('1f1b'), file('1f1b'));
    const { upper } = pair.columns;
    expect([...pair.partners.upper]).toEqual([...upper.word.keys()]);
    expect(pairedOperations(pair)).toBe(upper.word.length);
    expect(driftedBlocks(pair, 0)).toEqual([]);
    const words = driftSentence(pair, [], { names, plans, tolerance: 0.01, iteration: 1 });
    expect(words).toBe('No operation differs by more than 1 % of the iteration (10 ms).');
  });

  it('keep their partner in another order: they start at another time', () => {
    const { pair } = sideBySide(file('1f1b'), file('gpipe'));
    const { upper, lower } = pair.columns;
    expect([...pair.partners.upper].every((partner) => partner >= 0)).toBe(true);
    for (const [block, partner] of pair.partners.upper.entries()) {
      expect(lower.word[partner]).toBe(upper.word[block]);
      expect(pair.partners.lower[partner]).toBe(block);
      const apart = Math.abs(upper.start[block] - lower.start[partner]);
      expect(driftOf(pair, 'upper', block, apart / 2)).toBe(apart > 0 ? 'start' : undefined);
      expect(driftOf(pair, 'upper', block, apart)).toBeUndefined();
    }
  });

  it('of a slow device take longer by more than the tolerance', () => {
    const { pair, plans } = sideBySide(file('1f1b'), file('1f1b', '\n  slow(device = 1) = 1.5'));
    const { columns, partners } = pair;
    const { offsets } = columns.upper;
    for (let block = offsets[1]; block < offsets[2]; block += 1) {
      const partner = partners.upper[block];
      const length = columns.upper.end[block] - columns.upper.start[block];
      expect(columns.lower.end[partner] - columns.lower.start[partner]).toBeCloseTo(1.5 * length, 9);
      expect(driftOf(pair, 'upper', block, 0.4 * length)).toBe('length');
      expect(driftOf(pair, 'lower', partner, 0.4 * length)).toBe('length');
    }
    // Each operation is counted once, though both of its blocks are outlined.
    expect(driftedBlocks(pair, 1e-9).every(({ side: of }) => of === 'upper')).toBe(true);
    const [first] = driftedBlocks(pair, 1e-9);
    expect(first).toEqual({ side: 'upper', block: offsets[1] });
    expect(pairedBlockWords(pair, first, { names, plans })).toMatch(
      /^1F0 on gpu\[1\] in a\.pipe: train starts at .+ and takes .+\. In b\.pipe: train it takes .+ longer\.$/,
    );
  });

  it('that only one has are alone, and each difference is counted once', () => {
    const { pair, plans } = sideBySide(file('1f1b'), file('zb_h1'));
    const { upper, lower } = pair.columns;
    const alone = (of: 'upper' | 'lower') =>
      [...pair.columns[of].word.keys()].filter((block) => driftOf(pair, of, block, 1) === 'alone').length;
    // A whole backward is neither of its halves.
    expect(alone('upper')).toBe(16);
    expect(alone('lower')).toBe(32);
    expect(pairedOperations(pair)).toBe(upper.word.length + 32);
    const drifted = driftedBlocks(pair, 1);
    expect(drifted).toHaveLength(48);
    const starts = drifted.map(({ side: of, block }) => pair.columns[of].start[block]);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    const sentence = driftSentence(pair, drifted, { names, plans, tolerance: 0.5, iteration: 2 });
    expect(sentence).toContain('16 only in a.pipe: train and 32 only in b.pipe: train.');
    const last = lower.word.length - 1;
    expect(pairedBlockWords(pair, { side: 'lower', block: last }, { names, plans })).toMatch(
      /a\.pipe: train does not have it\.$/,
    );
  });

  it('on a device that only one has are said by their row, not one by one', () => {
    const { pair, rows } = sideBySide(
      file('1f1b'),
      file('1f1b').replace('gpu[4]', 'gpu[2]').replace('balance(4)', 'balance(2)'),
    );
    expect(rows.rows.map(({ lower }) => lower)).toEqual([0, 1, -1, -1]);
    const { offsets } = pair.columns.upper;
    for (let block = offsets[2]; block < offsets[4]; block += 1)
      expect(driftOf(pair, 'upper', block, 0)).toBeUndefined();
    expect(rowsSentence(rows, names)).toBe('Only a.pipe: train has gpu[2] and gpu[3].');
  });
});

describe('devices side by side', () => {
  it('are paired by name, whatever their order', () => {
    expect(rowPairs(['a', 'b', 'c'], ['c', 'd', 'a'])).toEqual({
      rows: [
        { name: 'a', upper: 0, lower: 2 },
        { name: 'b', upper: 1, lower: -1 },
        { name: 'c', upper: 2, lower: 0 },
        { name: 'd', upper: -1, lower: 1 },
      ],
      byPlace: false,
    });
  });

  it('are paired by place if no name is the same and there are as many', () => {
    const pairs = rowPairs(['h100[0]', 'h100[1]'], ['a100[0]', 'a100[1]']);
    expect(pairs.byPlace).toBe(true);
    expect(pairs.rows).toEqual([
      { name: 'h100[0] / a100[0]', upper: 0, lower: 0 },
      { name: 'h100[1] / a100[1]', upper: 1, lower: 1 },
    ]);
    expect(rowsSentence(pairs, names)).toMatch(/paired by their order/);
    expect(rowPairs(['h100[0]'], ['a100[0]', 'a100[1]']).byPlace).toBe(false);
    expect(rowsSentence(rowPairs(['a', 'b', 'c', 'd', 'e'], ['a']), names)).toBe(
      'Only a.pipe: train has b and 3 other devices.',
    );
  });
});
