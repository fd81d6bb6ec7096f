import { bytes, count, iterationTime, share } from '../../engine/basics/quantities.ts';
import { runnerWords } from '../../engine/engines/runners.ts';
import { plainMarkdown } from '../text/userText.ts';
import { tunedOffers } from './exchangeChoices.ts';
import { literal, type Offer } from './offer.ts';
import type { Choice, Outcome, SimulatedChoice } from './choice.ts';
import type { ChoiceList } from './choiceLists.ts';

/** What a client gives back to have the figures of a value. */
export interface ChoiceData {
  readonly uri: string;
  readonly list: number;
  readonly value: string;
}

export const isChoiceData = (data: unknown): data is ChoiceData =>
  typeof data === 'object' &&
  data !== null &&
  'uri' in data &&
  typeof data.uri === 'string' &&
  'list' in data &&
  typeof data.list === 'number' &&
  'value' in data &&
  typeof data.value === 'string';

/** The offers with what is known of their values: those that fit and are fast come first. */
export function choiceOffers(uri: string, found: readonly Offer[], list: ChoiceList): readonly Offer[] {
  const rows = [...found, ...tunedOffers(list.choices)].map((offer) => {
    const choice = list.choices.find(({ name }) => name === offer.label);
    const outcome = choice === undefined ? undefined : list.outcome(choice);
    const shown = choice === undefined ? offer : choiceOffer(uri, offer, list.id, choice, outcome);
    return { offer: shown, choice, outcome };
  });
  const run = rows.filter((row) => group(row, 0) === 0 && !isOnPaper(row.outcome));
  const fastest = Math.min(Infinity, ...run.map(({ outcome }) => iteration(outcome)));
  return rows
    .toSorted((a, b) => group(a, fastest) - group(b, fastest) || iteration(a.outcome) - iteration(b.outcome))
    .map(({ offer }) => offer);
}

/** What no engine runs comes before what one does if it is so much faster: as among quick fixes. */
const worthWriting = 0.9;

const isOnPaper = (outcome: Outcome | undefined): boolean =>
  outcome !== undefined && 'figures' in outcome && outcome.runners?.length === 0;

function choiceOffer(uri: string, offer: Offer, list: number, choice: Choice, outcome: Outcome | undefined): Offer {
  const { name, text, cut } = choice;
  const data: ChoiceData = { uri, list, value: name };
  return {
    ...offer,
    text,
    snippet: text === name ? undefined : snippetOf(text),
    ...(cut === undefined ? {} : { edits: [cut] }),
    ...(outcome === undefined ? { data } : choiceTexts(choice, outcome, offer)),
    ...(outcome !== undefined && 'figures' in outcome ? { description: shortWords(choice, outcome) } : {}),
  };
}

/** Numbers of arguments are places to type over. */
function snippetOf(text: string): string {
  let place = 0;
  return literal(text).replaceAll(/= (\d+)/g, (_, number: string) => {
    place += 1;
    return `= \${${place}:${number}}`;
  });
}

/** The line and the text shown with a value whose outcome is known. */
export function choiceTexts(
  choice: Choice,
  outcome: Outcome,
  { detail, doc }: Pick<Offer, 'detail' | 'doc'>,
): { readonly detail?: string; readonly doc: string } {
  const { cut, text } = choice;
  const lines = [
    ...('figures' in outcome && outcome.unsupported !== undefined ? [outcome.unsupported] : []),
    'problem' in outcome
      ? `No figures for \`${text}\`: ${plainMarkdown(outcome.problem)}`
      : `Simulated in this file with \`${text}\`: ${figureWords(choice, outcome)}.`,
    ...(choice.servers === undefined
      ? []
      : ['Gradients go through parameter servers: machines that the cluster does not have.']),
    ...(cut === undefined ? [] : [`Changes the cut to \`balance(${cut.stages})\`: the policy needs these stages.`]),
    ...('figures' in outcome && outcome.runners !== undefined ? [`Runs on: ${runnerWords(outcome.runners)}.`] : []),
    ...('figures' in outcome && detail !== undefined ? [`\`${detail}\``] : []),
    ...(doc === undefined ? [] : [doc]),
  ];
  return { detail: 'figures' in outcome ? figureWords(choice, outcome) : detail, doc: lines.join('\n\n') };
}

/** `iteration 216 ms · bubble 11.2 % · peak 5 GiB of 16 GiB`. */
function figureWords({ key, servers }: Choice, { figures, waits }: SimulatedChoice): string {
  const { iteration, bubble, peak, capacity, fits } = figures;
  const limit = Number.isFinite(capacity) && capacity > 0 ? ` of ${bytes(capacity)}` : '';
  const idle = key === 'schedule' ? `bubble ${share(bubble)}` : `waits for gradients ${share(waits)}`;
  const words = [`iteration ${iterationTime(iteration)}`, idle, ...(peak > 0 ? [`peak ${bytes(peak)}${limit}`] : [])];
  return [...words, ...serverWords(servers), ...(fits ? [] : ['does not fit'])].join(' · ');
}

function shortWords({ key, servers }: Choice, { figures, waits }: SimulatedChoice): string {
  const { iteration, bubble, peak, fits } = figures;
  const idle = key === 'schedule' ? share(bubble) : `waits ${share(waits)}`;
  return [iterationTime(iteration), idle, bytes(peak), ...serverWords(servers), ...(fits ? [] : ['does not fit'])].join(
    ' · ',
  );
}

const serverWords = (servers: number | undefined): readonly string[] =>
  servers === undefined ? [] : [`with ${count(servers, 'server', 'servers')}`];

/**
 * Values that train as usual, fit, and are run by an engine come first. Then come values that none runs, values that need servers,
 * which the file does not have, values that need more memory, and values that update differently. `fastest`: seconds of an iteration
 * under the best that an engine runs.
 */
function group({ choice, outcome }: { readonly choice?: Choice; readonly outcome?: Outcome }, fastest: number): number {
  if (outcome === undefined) return 4;
  if ('problem' in outcome) return 5;
  if (outcome.unsupported !== undefined) return 4.5;
  if (!outcome.synchronous) return 3;
  if (!outcome.figures.fits) return 2;
  if (choice?.servers !== undefined) return 1;
  return isOnPaper(outcome) && outcome.figures.iteration > worthWriting * fastest ? 0.5 : 0;
}

const iteration = (outcome: Outcome | undefined): number =>
  outcome !== undefined && 'figures' in outcome ? outcome.figures.iteration : 0;
