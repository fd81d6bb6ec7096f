/** States of real searches for a shorter order, as the extension posts them. */
import { askedEffort, askedOrder, shorterOrder } from '../../engine/advice/shorterOrder.ts';
import { stateOf } from '../../server/requests/orderSearch.ts';
import type { ShownOrder } from '../../webview/protocol/messages.ts';
import { analyseExample } from '../support/analyse.ts';
import { exampleText } from '../support/example.ts';

/** The example with other numbers in it. */
export function changedExample(name: string, ...changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((text, [before, after]) => {
    if (!text.includes(before)) throw new Error(`${name} has no ${before}`);
    return text.replace(before, after);
  }, exampleText(name));
}

const known = new Map<string, readonly ShownOrder[]>();

/** All that a search says, the last state with its end. */
export function orderStates(name: string, text: string, pipeline: string, times = 1): readonly ShownOrder[] {
  const key = JSON.stringify([name, text, pipeline, times]);
  const states = known.get(key) ?? searched(name, text, pipeline, times);
  known.set(key, states);
  return states;
}

function searched(name: string, text: string, pipeline: string, times: number): readonly ShownOrder[] {
  const found = analyseExample(name, {}, text).pipelines.find(({ plan }) => plan.name === pipeline);
  if (found === undefined) throw new Error(`no pipeline ${pipeline}`);
  const question = askedOrder(found, askedEffort(found.plan, 1, times));
  if ('reason' in question) return [{ reason: question.reason }];
  const states: ShownOrder[] = [];
  const steps = shorterOrder.steps(question);
  for (;;) {
    const step = steps.next();
    if (step.done !== true) {
      if (step.value !== undefined) states.push({ state: stateOf(found, question, step.value) });
      continue;
    }
    const { search, shorter } = step.value;
    if (search === undefined) throw new Error('its orders do not run');
    const { status, fits } = search;
    states.push({
      state: stateOf(found, question, search),
      end: { status, fits, keeps: shorter !== undefined },
    });
    // What crosses a channel is data.
    return JSON.parse(JSON.stringify(states));
  }
}
