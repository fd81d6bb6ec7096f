import type { Figures } from '../../engine/fixes/effect.ts';
import { bytes, iterationTime, share } from '../../engine/quantities.ts';
import { plainMarkdown } from '../userText.ts';
import { literal, type Offer } from './offer.ts';
import type { ScheduleChoice, ScheduleOutcome } from './scheduleChoices.ts';
import type { ScheduleList } from './scheduleLists.ts';

/** What a client gives back to have the figures of a schedule. */
export interface ScheduleData {
  readonly uri: string;
  readonly list: number;
  readonly schedule: string;
}

export const isScheduleData = (data: unknown): data is ScheduleData =>
  typeof data === 'object' &&
  data !== null &&
  'uri' in data &&
  typeof data.uri === 'string' &&
  'list' in data &&
  typeof data.list === 'number' &&
  'schedule' in data &&
  typeof data.schedule === 'string';

/** The offers with what is known of their schedules: those that fit and are fast come first. */
export function scheduleOffers(uri: string, found: readonly Offer[], list: ScheduleList): readonly Offer[] {
  const rows = found.map((offer) => {
    const choice = list.choices.find(({ name }) => name === offer.label);
    const outcome = choice === undefined ? undefined : list.outcome(choice);
    return { offer: choice === undefined ? offer : scheduleOffer(uri, offer, list.id, choice, outcome), outcome };
  });
  return rows
    .toSorted((a, b) => group(a.outcome) - group(b.outcome) || iteration(a.outcome) - iteration(b.outcome))
    .map(({ offer }) => offer);
}

function scheduleOffer(
  uri: string,
  offer: Offer,
  list: number,
  choice: ScheduleChoice,
  outcome: ScheduleOutcome | undefined,
): Offer {
  const { name, text, cut } = choice;
  const data: ScheduleData = { uri, list, schedule: name };
  return {
    ...offer,
    text,
    snippet: text === name ? undefined : snippetOf(text),
    ...(cut === undefined ? {} : { edits: [cut] }),
    ...(outcome === undefined ? { data } : scheduleTexts(choice, outcome, offer)),
    ...(outcome !== undefined && 'figures' in outcome ? { description: shortWords(outcome.figures) } : {}),
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

/** The line and the text shown with a schedule whose outcome is known. */
export function scheduleTexts(
  { cut, text }: ScheduleChoice,
  outcome: ScheduleOutcome,
  { detail, doc }: Pick<Offer, 'detail' | 'doc'>,
): { readonly detail?: string; readonly doc: string } {
  const lines = [
    'problem' in outcome
      ? `No figures for \`${text}\`: ${plainMarkdown(outcome.problem)}`
      : `Simulated in this file with \`${text}\`: ${figureWords(outcome.figures)}.`,
    ...(cut === undefined ? [] : [`Changes the cut to \`balance(${cut.stages})\`: the policy needs these stages.`]),
    ...('figures' in outcome && detail !== undefined ? [`\`${detail}\``] : []),
    ...(doc === undefined ? [] : [doc]),
  ];
  return { detail: 'figures' in outcome ? figureWords(outcome.figures) : detail, doc: lines.join('\n\n') };
}

/** `iteration 216 ms · bubble 11.2 % · peak 5 GiB of 16 GiB`. */
function figureWords({ iteration, bubble, peak, capacity, fits }: Figures): string {
  const limit = Number.isFinite(capacity) && capacity > 0 ? ` of ${bytes(capacity)}` : '';
  const words = [`iteration ${iterationTime(iteration)}`, `bubble ${share(bubble)}`, `peak ${bytes(peak)}${limit}`];
  return [...words, ...(fits ? [] : ['does not fit'])].join(' · ');
}

const shortWords = ({ iteration, bubble, peak, fits }: Figures): string =>
  [iterationTime(iteration), share(bubble), bytes(peak), ...(fits ? [] : ['does not fit'])].join(' · ');

/** Schedules that train as usual and fit come first, then those that need more memory, then those that update differently. */
function group(outcome: ScheduleOutcome | undefined): number {
  if (outcome === undefined) return 3;
  if ('problem' in outcome) return 4;
  return outcome.synchronous ? (outcome.figures.fits ? 0 : 1) : 2;
}

const iteration = (outcome: ScheduleOutcome | undefined): number =>
  outcome !== undefined && 'figures' in outcome ? outcome.figures.iteration : 0;
