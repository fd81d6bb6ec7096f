import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ParamPlan } from '../../../engine/values/plan.ts';
import { shownFile } from '../../../webview/session/shownFile.ts';
import { microbatchParam, pipeline, plan, planMessage } from '../../browser/plans.ts';

const withMicrobatches = (microbatches: number, version: number) =>
  planMessage(plan([pipeline({ devices: 2, microbatches })]), version);

/** A file whose simulations and messages are written down. */
function recorded() {
  const events: string[] = [];
  const file = shownFile(
    {
      post: ({ type }) => events.push(`post ${type}`),
      run: ({ microbatches }) => events.push(`run ${microbatches}`),
      empty: () => events.push('empty'),
      unplanned: ({ message }) => events.push(`unplanned ${message}`),
      whole: () => events.push('whole'),
      changed: () => undefined,
    },
    undefined,
  );
  return { file, events };
}

describe('shown file', () => {
  it('ignores a plan older than the one it has', () => {
    const { file, events } = recorded();
    file.receive(withMicrobatches(8, 2));
    file.receive(withMicrobatches(4, 1));
    expect(events).toEqual(['run 8']);
    expect(file.pipeline()?.microbatches).toBe(8);
    expect(file.message()?.version).toBe(2);
  });

  it('takes another plan of the same version, and a newer one', () => {
    const { file, events } = recorded();
    file.receive(withMicrobatches(8, 2));
    file.receive(withMicrobatches(9, 2));
    file.receive(withMicrobatches(10, 3));
    expect(events).toEqual(['run 8', 'run 9', 'run 10']);
  });

  it('takes the plan of another file, whatever its version', () => {
    const { file, events } = recorded();
    file.receive(withMicrobatches(8, 7));
    file.receive({ ...withMicrobatches(4, 1), uri: 'file:///other.pipe' });
    expect(events).toEqual(['run 8', 'run 4']);
  });

  it('runs another order with its words until the file is shown again, or has another plan', () => {
    const runs: (readonly [schedule: string, words: readonly number[] | undefined])[] = [];
    const file = shownFile(
      {
        post: () => undefined,
        run: ({ schedule }, _, __, order) => runs.push([schedule.name, order && [...order.words]]),
        empty: () => undefined,
        unplanned: () => undefined,
        whole: () => runs.push(['whole', undefined]),
        changed: () => undefined,
      },
      undefined,
    );
    const search = { kind: 'policy', name: 'search', args: { effort: 4 } } as const;
    const order = (words: string) => ({
      schedule: search,
      words,
      bound: 1,
      spanBound: 1,
      effort: 1,
      work: 1,
      by: 'moves',
    });
    file.receive(withMicrobatches(8, 1));
    const { name } = file.pipeline()?.schedule ?? {};
    file.tryOrder(order('AAEC'));
    file.tryOrder(order('AAEC'));
    expect(file.isTrying()).toBe(true);
    expect(file.pipeline()?.schedule.name).toBe(name);
    file.tryOrder(order('AgEA'));
    file.tryOrder(undefined);
    expect(file.isTrying()).toBe(false);
    expect(runs).toEqual([
      [name, undefined],
      ['search', [0, 1, 2]],
      ['search', [2, 1, 0]],
      [name, undefined],
    ]);
    file.tryOrder(order('AAEC'));
    // The same plan once more: the file's order is back.
    file.receive(withMicrobatches(8, 2));
    expect(runs.at(-1)).toEqual([name, undefined]);
    expect(file.triedOrder()).toBeUndefined();
    const message = withMicrobatches(9, 3);
    const [pipelineName] = message.plan.pipelines.map((each) => each.name);
    file.receive({ ...message, orders: { [pipelineName]: order('AAEC') } });
    expect(runs.at(-1)).toEqual([name, [0, 1, 2]]);
  });

  it('simulates an equal plan again only after the last run came to nothing', () => {
    const { file, events } = recorded();
    file.receive(withMicrobatches(8, 1));
    file.receive(withMicrobatches(8, 2));
    file.forget();
    file.receive(withMicrobatches(8, 3));
    expect(events).toEqual(['run 8', 'whole', 'run 8']);
  });

  it('says that a file without a pipeline has none yet', () => {
    const { file, events } = recorded();
    file.receive(planMessage(plan([]), 1));
    expect(events).toEqual(['empty']);
  });
});

describe('schedules without a pipeline', () => {
  const number = (name: string, value: number, shape: boolean): ParamPlan => ({
    ...microbatchParam(value),
    name: `mine.${name}`,
    argument: { pipeline: 'mine', schedule: 'mine', parameter: name, ...(shape ? { shape: true as const } : {}) },
  });
  const mine = { name: 'mine', params: [], axes: [], verdicts: '' };
  /** The file's pipeline, and a schedule with the numbers of its shape. */
  const both = (version: number, overrides = {}) => ({
    ...planMessage(
      plan(
        [
          pipeline({ name: 'train', devices: 2, microbatches: 8 }),
          pipeline({ name: 'mine', devices: 3, microbatches: 5 }),
        ],
        [microbatchParam(8), number('devices', 3, true), number('microbatches', 5, true), number('warm', 1, false)],
      ),
      version,
      overrides,
    ),
    schedules: [mine],
  });

  /** Posts wait for a frame; there is no page here. */
  beforeEach(() => {
    vi.stubGlobal('requestAnimationFrame', (run: () => void) => run());
    return () => vi.unstubAllGlobals();
  });

  it('are chosen after the pipelines, with their own params, and are compared with each other only', () => {
    const { file, events } = recorded();
    file.receive(both(1));
    expect(file.names()).toEqual(['train', 'mine']);
    expect(file.schedule()).toBeUndefined();
    expect(file.params().map(({ name }) => name)).toEqual(['microbatches']);
    expect(file.comparable().map(({ name }) => name)).toEqual(['train']);
    file.choose('mine');
    expect(events).toEqual(['run 8', 'run 5']);
    expect(file.schedule()?.name).toBe('mine');
    const own = ['mine.devices', 'mine.microbatches', 'mine.warm'];
    expect(file.params().map(({ name }) => name)).toEqual(own);
    file.receive({ ...both(2), schedules: [{ ...mine, params: ['microbatches'] }] });
    expect(file.params().map(({ name }) => name)).toEqual(['microbatches', ...own]);
    expect(file.comparable().map(({ name }) => name)).toEqual(['mine']);
  });

  it('have a shape that no text has: another one is not a value on trial', () => {
    const { file } = recorded();
    file.receive(both(1));
    file.choose('mine');
    file.turnAll({ 'mine.devices': 2, 'mine.microbatches': 4 });
    file.receive(both(2, { 'mine.devices': 2, 'mine.microbatches': 4 }));
    expect(file.isTrying()).toBe(false);
    file.turn('mine.warm', 2);
    file.receive(both(3, { 'mine.devices': 2, 'mine.microbatches': 4, 'mine.warm': 2 }));
    expect(file.isTrying()).toBe(true);
    const shape = { name: 'mine', devices: 3, microbatches: 5 };
    expect(file.isShape(pipeline(shape))).toBe(true);
    expect(file.isShape(pipeline({ ...shape, microbatches: 4 }))).toBe(false);
  });

  it('stay on show with what is wrong, and keep their shape while their text has an error', () => {
    const { file, events } = recorded();
    file.receive(both(1));
    file.choose('mine');
    file.turn('mine.devices', 2);
    file.receive(both(2, { 'mine.devices': 2 }));
    const only = plan([pipeline({ name: 'train', devices: 2, microbatches: 8 })]);
    const broken = (ofShape: boolean) => ({
      ...planMessage(only, 3, { 'mine.devices': 2 }),
      schedules: [{ ...mine, problem: { message: 'no order', ofShape } }],
    });
    file.receive(broken(false));
    expect(events.at(-1)).toBe('unplanned no order');
    expect(file.shownName()).toBe('mine');
    expect(file.overrides()).toEqual({ 'mine.devices': 2 });
    // Without an error a number that nothing has any more is forgotten.
    file.receive(broken(true));
    expect(file.overrides()).toEqual({});
  });
});
