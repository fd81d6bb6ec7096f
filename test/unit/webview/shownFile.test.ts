import { describe, expect, it } from 'vitest';
import { shownFile } from '../../../webview/session/shownFile.ts';
import { pipeline, plan, planMessage } from '../../browser/plans.ts';

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
