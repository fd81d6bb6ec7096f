import { expect, it } from 'vitest';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import { analyseExample } from '../../support/analyse.ts';

it.each(['gpt-175b.pipe', 'published/gpipe.pipe', 'systems/zero_bubble.pipe'])(
  'has no slack of rounding in %s, and none on the critical path',
  (name) => {
    let blocks = 0;
    for (const evaluation of analyseExample(name).pipelines) {
      if (evaluation.run === undefined) continue;
      const { slack, columns, critical } = pictureOf(evaluation, evaluation.run, 1);
      if (slack === undefined) continue;
      blocks += slack.length;
      expect(Array.from(slack).filter((seconds) => seconds > 0 && seconds <= columns.makespan * 1e-9)).toEqual([]);
      for (const block of critical) expect(slack[block]).toBe(0);
    }
    expect(blocks).toBeGreaterThan(0);
  },
);
