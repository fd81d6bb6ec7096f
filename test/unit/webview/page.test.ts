import { describe, expect, it } from 'vitest';
import { contentSecurityPolicy, previewHtml } from '../../../webview/protocol/page.ts';
import { readMessage } from '../../../webview/session/incoming.ts';
import { readState } from '../../../webview/protocol/state.ts';
import { sliderRange } from '../../../webview/controls/sliderRange.ts';
import { highlightFor, noHighlight } from '../../../webview/session/highlight.ts';
import { rowShape } from '../../../webview/view/scene/rowShape.ts';
import { microbatchParam, pipeline, plan, planMessage } from '../../browser/plans.ts';

describe('page', () => {
  it('takes fixes only with all of their figures', () => {
    const effect = { iteration: 0.2, throughput: 5, bubble: 0.1, peak: 1, capacity: 2, fits: true };
    const fixes = { type: 'fixes', request: 1, fixes: [{ title: 'Use zb_h1', effect, before: effect, diff: ['- a'] }] };
    expect(readMessage(fixes)).toEqual(fixes);
    expect(readMessage({ ...fixes, fixes: [] })).toEqual({ ...fixes, fixes: [] });
    for (const bad of [
      { title: 'Use zb_h1' },
      { title: 1, effect },
      { title: 'Use zb_h1', effect: { ...effect, fits: 'yes' } },
      { title: 'Use zb_h1', effect: { ...effect, peak: Number.NaN } },
      { title: 'Use zb_h1', effect, diff: [1] },
    ])
      expect(readMessage({ ...fixes, fixes: [bad] })).toBeUndefined();
    expect(
      readMessage({ ...planMessage(plan([pipeline({ devices: 3, microbatches: 4 })])), trying: 'Use zb_h1' }),
    ).toMatchObject({ trying: 'Use zb_h1' });
  });

  it('allows only its own script and style', () => {
    const html = previewHtml({
      nonce: 'n1',
      cspSource: 'https://x.test',
      scriptUri: 'https://x.test/a.js?"',
      styleUri: 'https://x.test/a.css',
    });
    expect(html).toContain("script-src 'nonce-n1';");
    expect(html).toContain('src="https://x.test/a.js?&quot;"');
    expect(html).not.toMatch(/style=|unsafe/);
    expect(contentSecurityPolicy({ nonce: 'n', cspSource: 's' })).toBe(
      "default-src 'none'; script-src 'nonce-n'; style-src s; font-src s; img-src s blob:; worker-src blob:; connect-src s; base-uri 'none'; form-action 'none'",
    );
  });

  it('takes jobs of both rules of synchronisation, and no others', () => {
    const good = planMessage(plan([pipeline({ devices: 3, microbatches: 4 })]));
    const withSync = (sync: unknown) => ({
      ...good,
      plan: { ...good.plan, jobs: [{ name: 'all', workers: ['train'], sync, servers: 1, waves: 8 }] },
    });
    for (const sync of [{ kind: 'free' }, { kind: 'wsp', distance: 2 }])
      expect(readMessage(withSync(sync))).toEqual(withSync(sync));
    for (const sync of [{ kind: 'wsp' }, { kind: 'wsp', distance: -1 }, { kind: 'other', distance: 1 }, {}, 'free'])
      expect(readMessage(withSync(sync))).toBeUndefined();
  });

  it('takes messages of the extension and refuses what is none', () => {
    const good = planMessage(plan([pipeline({ devices: 3, microbatches: 4 })], [microbatchParam(4)]));
    expect(readMessage(good)).toEqual(good);
    expect(readMessage({ ...good, pipeline: 'train' })).toEqual({ ...good, pipeline: 'train' });
    expect(readMessage({ ...good, pipeline: 7 })).toEqual(good);
    const [given] = good.plan.pipelines;
    const broken = (pipelines: unknown) => ({ ...good, plan: { ...good.plan, pipelines } });
    for (const data of [
      null,
      [],
      { type: 'other' },
      { ...good, version: Number.NaN },
      { ...good, overrides: { a: 'b' } },
      broken([{ ...given, placement: [0, 1] }]),
      broken([{ ...given, placement: [0, 1, 3] }]),
      broken([{ ...given, edges: [{ from: 0, to: 9, bytes: 1 }] }]),
      broken([{ ...given, microbatches: -1 }]),
      { type: 'highlight', groups: 'train' },
      { type: 'highlight', groups: ['train'] },
      { type: 'broken', uri: 'a', version: 1 },
      { type: 'gone', uri: 'a', version: 1 },
      { type: 'moved', from: 'a', uri: 7, title: 'b' },
      { type: 'stopped', uri: 'a', version: 1 },
      { type: 'modes', docked: false, following: 1, outlineAtCursor: true, revealOnClick: true },
    ]) {
      expect(readMessage(data)).toBeUndefined();
    }
  });

  it('keeps of an earlier state what can be used', () => {
    expect(readState(undefined)).toBeUndefined();
    expect(readState({ uri: 'a', t0: 'x', t1: 3, colours: 'pink', overrides: { m: Number.NaN } })).toEqual({
      uri: 'a',
      t1: 3,
    });
  });

  it('keeps open groups if they are names, and few enough for a state of 2 KB', () => {
    const kept = (openGroups: unknown) => readState({ uri: 'a', openGroups })?.openGroups;
    expect(kept('all')).toBe('all');
    expect(kept(['node[0]', 'node[3]'])).toEqual(['node[0]', 'node[3]']);
    const many = Array.from({ length: 33 }, (_, at) => `${at}`);
    expect(kept(many.slice(1))).toHaveLength(32);
    for (const bad of ['some', [], [7], [''], many, ['x'.repeat(801)], { length: 1 }])
      expect(kept(bad)).toBeUndefined();
  });

  it('gives each param a range that holds its value, in its unit', () => {
    expect(sliderRange(microbatchParam(8))).toEqual({ min: 1, max: 64, step: 1 });
    const open = sliderRange({
      name: 'b',
      value: 2e9,
      default: 2e9,
      dimension: 'bandwidth',
      unit: 'GB/s',
      scale: 1e9,
      local: true,
    });
    expect([open.min, open.max]).toEqual([0.5, 8]);
    const zero = sliderRange({ name: 'z', value: 0, default: 0, dimension: 'number', unit: '', scale: 1, local: true });
    expect(zero.min).toBeLessThanOrEqual(0);
    expect(zero.max).toBeGreaterThan(0);
  });

  it('rings what the innermost known path names', () => {
    const given = pipeline({ devices: 4, microbatches: 4 });
    expect([...highlightFor(given, [['layer:toy/block[2]'], ['train']]).stages]).toEqual([2]);
    expect([...highlightFor(given, [['param:x'], ['train/device:1']]).devices]).toEqual([1]);
    expect([...highlightFor(given, [['train/row:2/item:5', 'train/row:3/item:5']]).items]).toEqual(['2:5', '3:5']);
    expect(highlightFor(given, [['other/stage:1', 'other'], ['param:x']])).toEqual(noHighlight);
  });

  it('rings all that comes from the same text, and nothing where that is everything', () => {
    const given = pipeline({ devices: 4, microbatches: 4 });
    const stages = ['train/stage:0', 'train/stage:1', 'train/stage:3'];
    expect([...highlightFor(given, [stages, ['train']]).stages]).toEqual([0, 1, 3]);
    for (const whole of ['train/key:schedule', 'train', 'device:h100/memory'])
      expect(highlightFor(given, [[whole], ['train/stage:1']]), whole).toEqual(noHighlight);
    const all = [0, 1, 2, 3].map((stage) => `train/stage:${stage}`);
    expect(highlightFor(given, [all, ['train']])).toEqual(noHighlight);
  });
});

describe('layout', () => {
  it('never lets parts of a row overlap or leave it', () => {
    for (let height = 4; height <= 96; height += 0.5) {
      const shape = rowShape(height);
      expect(shape.bandTop + shape.bandHeight).toBeLessThanOrEqual(height);
      if (shape.laneHeight > 0) {
        expect(shape.laneTop).toBeGreaterThanOrEqual(shape.bandTop + shape.bandHeight);
        expect(shape.laneTop + shape.laneHeight).toBeLessThanOrEqual(height);
      }
    }
  });
});
