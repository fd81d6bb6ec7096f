/**
 * Figures of the schedules, rules of exchange and collectives that completion offers. A list belongs to a text without the value, so
 * typing the value keeps it. It is filled off the request path, a value at a time, and stops when the text changes.
 */
import { type CancellationToken, CancellationTokenSource } from 'vscode-languageserver';
import { trialsFor } from '../../engine/fixes/candidates.ts';
import type { Documents } from '../documents/documents.ts';
import { plannedAgain, trials } from '../searches/trials.ts';
import type { View } from '../view.ts';
import { type Base, baseOf, type Choice, type Outcome, outcomeOf } from './choice.ts';
import { exchangeChoices } from './exchangeChoices.ts';
import { scheduleChoices } from './scheduleChoices.ts';
import type { SimulatedKey, ValueSlot } from './slot.ts';

/** What is known so far. */
export interface ChoiceList {
  /** Differs between the lists of a document. */
  readonly id: number;
  /** Empty while the stages of the pipeline are unknown, and where the rest of it has errors. */
  readonly choices: readonly Choice[];
  outcome(choice: Choice): Outcome | undefined;
  /** More is to come. */
  readonly open: boolean;
}

export interface ChoiceLists {
  /** What is known of the values of a slot, after a short wait. The rest is found in the background. */
  at(view: View, slot: ValueSlot): Promise<ChoiceList>;
  /** The outcome of one value of a list; undefined where the text around the slot has changed since, or is cancelled. */
  outcome(uri: string, id: number, name: string, token: CancellationToken): Promise<Resolved | undefined>;
  /** The text has changed, or the document is closed: nothing more is simulated until the next request. */
  stop(uri: string): void;
}

export interface Resolved {
  readonly choice: Choice;
  readonly outcome: Outcome;
}

interface State {
  readonly id: number;
  readonly before: string;
  readonly after: string;
  readonly key: SimulatedKey;
  readonly pipeline: string;
  /** Number of the changes around the text, such as in an imported file. */
  readonly surroundings: number | undefined;
  readonly outcomes: Map<string, Outcome>;
  choices: readonly Choice[];
  running?: Promise<void>;
  stop: CancellationTokenSource;
}

/** The token that the next edit cancels. */
function renew(state: State): CancellationToken {
  if (state.stop.token.isCancellationRequested) state.stop = new CancellationTokenSource();
  return state.stop.token;
}

/** Milliseconds that a list waits for figures: small pipelines have them by then. */
const usualPatience = 150;

export function createChoiceLists(
  documents: Documents,
  failed: (error: unknown) => void,
  patience = usualPatience,
): ChoiceLists {
  const states = new Map<string, State>();
  let made = 0;

  function stateOf({ uri }: View, { before, after, key, pipeline }: ValueSlot): State {
    const surroundings = documents.surroundings(uri);
    const known = states.get(uri);
    if (
      known !== undefined &&
      known.before === before &&
      known.after === after &&
      known.key === key &&
      known.pipeline === pipeline &&
      known.surroundings === surroundings
    )
      return known;
    known?.stop.cancel();
    made += 1;
    const state: State = {
      id: made,
      before,
      after,
      key,
      pipeline,
      surroundings,
      outcomes: new Map(),
      choices: [],
      stop: new CancellationTokenSource(),
    };
    states.set(uri, state);
    return state;
  }

  /** Fills the list. Fewer values are tried for a pipeline that takes long. */
  async function fill(state: State, view: View, slot: ValueSlot): Promise<void> {
    const { token } = state.stop;
    const base = await documents.answeredInSteps<Base | undefined>(
      view.uri,
      (searches) => baseOf(slot, plannedAgain(view, searches)),
      token,
    );
    if (base === undefined) return;
    state.choices = slot.key === 'schedule' ? scheduleChoices(view, slot, base) : exchangeChoices(slot, base);
    let left = trialsFor(base.plan);
    for (const choice of state.choices) {
      if (token.isCancellationRequested || left === 0) return;
      if (choice.long || state.outcomes.has(choice.name)) continue;
      await find(state, view, choice, token);
      left -= 1;
    }
  }

  async function find(state: State, view: View, choice: Choice, token: CancellationToken): Promise<void> {
    if (choice.idle !== undefined) {
      state.outcomes.set(choice.name, { problem: choice.idle });
      return;
    }
    const again = trials(view);
    const outcome = await documents.answeredInSteps(
      view.uri,
      function* (searches) {
        yield;
        return outcomeOf(again(searches)(choice.file()), state.pipeline, choice);
      },
      token,
    );
    if (outcome === undefined || documents.surroundings(view.uri) !== state.surroundings) return;
    state.outcomes.set(choice.name, outcome);
  }

  return {
    async at(view, slot) {
      const state = stateOf(view, slot);
      if (state.running === undefined) {
        renew(state);
        const running = fill(state, view, slot)
          .catch(failed)
          .finally(() => {
            if (state.running === running) state.running = undefined;
          });
        state.running = running;
      }
      const { running } = state;
      await atMost(patience, running);
      return {
        id: state.id,
        choices: state.choices,
        outcome: ({ name }) => state.outcomes.get(name),
        open: state.running !== undefined,
      };
    },
    async outcome(uri, id, name, token) {
      const state = states.get(uri);
      const choice = state?.choices.find((candidate) => candidate.name === name);
      if (state === undefined || state.id !== id || choice === undefined) return undefined;
      const view = await documents.view(uri, 'names', token);
      if (view === undefined || !isCurrent(state, view)) return undefined;
      if (!state.outcomes.has(name) && !choice.long) await find(state, view, choice, renew(state));
      const outcome = state.outcomes.get(name);
      return outcome === undefined || !isCurrent(state, view) ? undefined : { choice, outcome };
    },
    stop(uri) {
      const state = states.get(uri);
      state?.stop.cancel();
      if (state !== undefined) state.running = undefined;
      if (documents.text(uri) === undefined) states.delete(uri);
    },
  };

  /** Accepting a value of the list still gives the file that was simulated. */
  function isCurrent(state: State, { uri }: View): boolean {
    const text = documents.text(uri) ?? '';
    return (
      documents.surroundings(uri) === state.surroundings &&
      text.length >= state.before.length + state.after.length &&
      text.startsWith(state.before) &&
      text.endsWith(state.after) &&
      /^\w*(\([^\n]*\))?$/.test(text.slice(state.before.length, text.length - state.after.length))
    );
  }
}

async function atMost(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, waited]);
  clearTimeout(timer);
}
