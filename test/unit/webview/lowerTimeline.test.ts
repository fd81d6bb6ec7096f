/** Which pipeline of another text is below. */
import { expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { lowerTimeline } from '../../../webview/session/lowerTimeline.ts';
import { runOf } from '../../support/analyse.ts';
import { pipe } from '../fixes/file.ts';

const { plan } = runOf(
  pipe({ memory: '16GiB', pipeline: '  microbatches = 4\n  stages = balance(4)\n  schedule = 1f1b' }),
);
const plans = ['small', 'big'].map((name) => ({ ...plan, name }));
const of = { pair: 1, title: 'other.pipe', options: defaultOptions };

it('is the one that was chosen, otherwise the one with the same name, otherwise the only one', () => {
  expect(lowerTimeline({ ...of, plans, pipeline: 'big' }, 'small')).toMatchObject({
    name: 'other.pipe: big',
    plan: plans[1],
  });
  expect(lowerTimeline({ ...of, plans }, 'small')).toMatchObject({ name: 'other.pipe: small', plan: plans[0] });
  expect(lowerTimeline({ ...of, plans: plans.slice(1) }, 'train')).toMatchObject({ plan: plans[1] });
});

it('is none where that cannot be said, with the reason', () => {
  expect(lowerTimeline({ ...of, plans, pipeline: 'gone' }, 'small')).toEqual({
    name: 'other.pipe',
    problem: 'other.pipe has no valid pipeline gone. It has small and big.',
  });
  expect(lowerTimeline({ ...of, plans: [] }, 'small').problem).toBe('other.pipe has no pipeline.');
  expect(lowerTimeline({ pair: 1, title: 'other.pipe', problem: 'Line 3: no.' }, 'small').problem).toBe('Line 3: no.');
});
