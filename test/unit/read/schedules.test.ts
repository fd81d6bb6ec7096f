import { describe, expect, test } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import type { RowItem } from '../../../engine/values/plan.ts';
import { rowItems } from '../../../engine/schedule/rowItems.ts';
import { edited, good } from '../../support/goodFile.ts';
import { checkFindings } from '../../support/expected.ts';
import { resolveText, type Setting } from '../../support/resolve.ts';

const own = (body: string, stages = 'balance(4)', microbatches = '2 * half') =>
  edited('schedule = 1f1b', 'schedule = mine')
    .replace('balance(4)', stages)
    .replace('2 * half', microbatches)
    .replace('in_flight(device = 1) <= 3', '') + `schedule mine { ${body} }\n`;

const name = (rowItem: RowItem) =>
  `${rowItem.stage}${rowItem.op}${rowItem.microbatch}${rowItem.fusedWithNext ? '&' : ''}`;
function rowsOf(text: string, setting?: Setting): readonly string[] {
  const { plan, findings } = resolveText(text, setting);
  expect(findings.filter((finding) => finding.severity === 'error').map((finding) => finding.message)).toEqual([]);
  const { schedule } = plan.pipelines[0];
  return schedule.kind === 'rows' ? schedule.rows.map((row) => rowItems(row).map(name).join(' ')) : [];
}

describe('rows', () => {
  test('1F1B written out', () => {
    const text = own(
      'row(d) = F[0..<stages-d], zip(B[0..<microbatches-stages+d], F[stages-d..<microbatches]), B[microbatches-stages+d..<microbatches]',
      'balance(2)',
      '3 + 0 * half',
    );
    expect(rowsOf(text)).toEqual(['0F0 0F1 0B0 0F2 0B1 0B2', '1F0 1B0 1F1 1B1 1F2 1B2']);
  });
  test('a row of its own, repeat, zip of unequal lengths, fused', () => {
    const text = own(
      'row(d) = F[0..2], repeat(2, B[d]), zip(F[0..3], W[0], I[0..1])  row(0) = fused(F[0], B[1]), [F[2], W[3]]',
      'balance(2)',
    );
    expect(rowsOf(text)).toEqual(['0F0& 0B1 0F2 0W3', '1F0 1F1 1F2 1B1 1B1 1F0 1W0 1I0 1F1 1I1 1F2 1F3']);
  });
  test('stages are named where a device holds several', () => {
    const text = own('placement = loop(2)  row(d) = F[0, stage = d], F[0, stage = d + devices]');
    expect(rowsOf(text)).toEqual(['0F0 2F0', '1F0 3F0']);
    checkFindings(own('placement = loop(2)  row(d) = ⟦type/mismatch:F[0]⟧'), ['a device with 2 stages']);
  });
  test('rows without a placement say where stages are', () => {
    const { plan } = resolveText(
      own('row(0) = F[0, stage = 0], F[0, stage = 3]  row(1) = F[0, stage = 1], F[0, stage = 2]'),
    );
    expect(plan.pipelines[0].placement).toEqual([0, 1, 1, 0]);
    expect(plan.pipelines[0].devices).toHaveLength(2);
  });
  test('limits are counted before anything is made', () => {
    checkFindings(own('row(d) = ⟦limit/too-large:repeat(1000000000, F[0..1])⟧'));
    checkFindings(own('row(d) = ⟦limit/too-large:F[0..900000000000]⟧'));
    const options = { ...defaultOptions, limits: { ...defaultOptions.limits, operations: 100 } };
    checkFindings(own('row(d) = ⟦limit/too-large:zip(F[0..29], B[0..29])⟧'), ['120, over the limit of 100'], {
      options,
    });
  });
  test('what is no operation', () => {
    checkFindings(own('row(d) = ⟦type/mismatch:3⟧'));
    checkFindings(own('row(d) = ⟦name/unknown:G⟧[0]'));
    checkFindings(own('row(d) = F[⟦name/unknown:e⟧]'));
    checkFindings(own('row(d) = F[⟦value/range:d - 9⟧]'));
    checkFindings(own('row(d) = F[0]  ⟦key/duplicate:row⟧(e) = F[1]'));
    checkFindings(own('row(d) = F[0]  row(⟦value/range:7⟧) = F[1]'));
  });
  test('rows of an imported schedule are told at the pipeline', () => {
    const text = own('')
      .replace(/schedule mine .*\n/, '')
      .replace(/^/, 'import { mine } from "s.pipe"\n');
    const { findings } = resolveText(text, { files: { 's.pipe': 'schedule mine { row(d) = F[d - 9] }' } });
    expect(
      findings.map((finding) => [
        finding.code,
        text.slice(finding.place.start, finding.place.end),
        finding.related[0].place.uri,
      ]),
    ).toEqual([['value/range', 'mine', 'file:///project/s.pipe']]);
  });
});

describe('rules', () => {
  test('a greedy rule', () => {
    const { plan } = resolveText(
      own('backward = split  order = greedy(prefer = [I, F, W])  in_flight(s) = min(stages - s, microbatches)'),
    );
    expect(plan.pipelines[0].schedule).toEqual({
      kind: 'greedy',
      name: 'mine',
      placement: 'linear',
      split: true,
      prefer: ['I', 'F', 'W'],
      inFlight: [4, 3, 2, 1],
      weights: 'flush',
    });
    expect(resolveText(own('order = greedy(prefer = [B, F])')).plan.pipelines[0].schedule).toMatchObject({
      split: false,
      inFlight: [null, null, null, null],
    });
  });
  test('placements', () => {
    const placed = (placement: string) =>
      resolveText(own(`placement = ${placement}  order = greedy(prefer = [B, F])`)).plan.pipelines[0]?.placement;
    expect(placed('linear')).toEqual([0, 1, 2, 3]);
    expect(placed('loop(2)')).toEqual([0, 1, 0, 1]);
    expect(placed('v_shape')).toEqual([0, 1, 1, 0]);
    expect(placed('wave(2)')).toEqual([0, 0, 0, 0]);
    expect(placed('[[0, 3], [1, 2]]')).toEqual([0, 1, 1, 0]);
    expect(placed('[[0..2], [3]]')).toEqual([0, 0, 0, 1]);
  });
  test('mistakes', () => {
    checkFindings(own('backward = split  order = greedy(prefer = ⟦type/mismatch:[B, F]⟧)'));
    checkFindings(own('order = greedy(prefer = [B, F])  in_flight(s) = ⟦value/range:s⟧'));
    checkFindings(
      own('placement = [[0, 1], [2]]  order = greedy(prefer = [B, F])').replace('= mine', '= ⟦schedule/shape:mine⟧'),
      ['leaves out stage 3'],
    );
    checkFindings(own('weights = flush').replace('schedule mine', 'schedule ⟦key/missing:mine⟧'));
  });
});

describe('built-in policies', () => {
  test('arguments', () => {
    const args = (text: string) => {
      const schedule = resolveText(edited('1f1b', text)).plan.pipelines[0]?.schedule;
      return schedule?.kind === 'policy' ? schedule.args : undefined;
    };
    expect(args('1f1b(warmup = [5, 4, 3, 2])')).toEqual({ warmup: [5, 4, 3, 2] });
    expect(args('1f1b(warmup = hide_latency)')).toEqual({ warmup: 'hide_latency' });
    expect(args('interleaved_1f1b(2, group = 4)')).toEqual({ chunks: 2, group: 4 });
  });
  test('an operation of the schedule is meant in a preference, too', () => {
    const own = 'schedule mine { operation encode { time = 1ms }  order = greedy(prefer = [encoder, B, F]) }';
    const { findings } = resolveText(own);
    expect(findings.map(({ message }) => message)).toContain('Unknown operation "encoder". Did you mean "encode"?');
  });
  test('mistakes in them', () => {
    checkFindings(edited('1f1b', 'interleaved_1f1b(⟦key/unknown:chunk⟧ = 2)'), ['Did you mean "chunks"?']);
    checkFindings(edited('1f1b', 'interleaved_1f1b(chunks = ⟦value/range:0⟧)'));
    checkFindings(edited('1f1b', '1f1b(warmup = ⟦name/unknown:hide⟧)'));
    checkFindings(edited('1f1b', 'gpipe(⟦type/mismatch:3⟧)'));
    checkFindings(good.replace('1f1b', '⟦type/mismatch:toy⟧').replace('schedule =', 'schedule ='));
  });
});
