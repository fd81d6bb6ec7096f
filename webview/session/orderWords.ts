import { share, shareAtMost } from '../../engine/basics/quantities.ts';
import type { ShownOrder } from '../protocol/messages.ts';

/** What is known of the search for a shorter order. */
export type OrderSearch = Required<Pick<ShownOrder, 'state'>> & Pick<ShownOrder, 'end'>;

/** Times that differ by less are equal. */
const rounding = 1e-9;

/** Best order and bound so far; undefined before there is an order. */
export function newestPoint({
  state,
}: OrderSearch): { readonly iteration: number; readonly bound: number } | undefined {
  const [, iteration, bound] = state.points.at(-1) ?? [];
  return iteration === undefined || bound === undefined ? undefined : { iteration, bound };
}

/** By how much an order may be longer than the shortest, as a share of the bound; 0 only if it is proven that none is shorter. */
export function gapOf(search: OrderSearch): number | undefined {
  const newest = newestPoint(search);
  if (newest === undefined || !(newest.bound > 0)) return undefined;
  return newest.iteration <= newest.bound ? 0 : newest.iteration / newest.bound - 1;
}

export const gapWords = (gap: number): string => (gap === 0 ? 'optimal' : `gap ${shareAtMost(gap)}`);

/** Whether the best order is shorter than the file's. */
export const isShorter = (search: OrderSearch): boolean =>
  (newestPoint(search)?.iteration ?? Infinity) < search.state.iteration * (1 - rounding);

/** Smaller gains are no reason to write an order into a file. */
const leastGain = 0.005;

/** Whether the best order is shorter by more than the costs of a model are sure. */
export const isWorthwhile = (search: OrderSearch): boolean =>
  (newestPoint(search)?.iteration ?? Infinity) <= search.state.iteration * (1 - leastGain);

/** Whether it searches orders with whole backwards only, as for a file whose order has them. */
const isWhole = ({ state: { order } }: OrderSearch): boolean =>
  order.schedule.kind === 'policy' && order.schedule.args['backward'] === 'whole';

/** What the search has come to, in a few sentences. */
export const orderSentence = (search: OrderSearch): string =>
  search.end?.stopped === true ? `Stopped. ${sentenceOf(search)}` : sentenceOf(search);

function sentenceOf(search: OrderSearch): string {
  const { state, end } = search;
  const newest = newestPoint(search);
  const gap = gapOf(search);
  if (newest === undefined) return end === undefined ? 'Searching …' : 'No order was found.';
  const saved = 1 - newest.iteration / state.iteration;
  const { schedule } = state;
  const orders = isWhole(search) ? 'order with whole backwards' : 'order';
  const least = isWhole(search) ? 'the least possible with whole backwards' : 'the least possible';
  if (end === undefined)
    return isShorter(search) ? `Searching … ${share(saved)} shorter than ${schedule} so far.` : 'Searching …';
  if (!end.fits) return 'The shortest order that was found does not fit the memory of every device.';
  const proven = end.status === 'optimal' && gap === 0;
  if (isShorter(search)) {
    const shorter = `${share(saved)} shorter than ${schedule}`;
    if (proven) return `${shorter}. It is proven that no ${orders} that fits is shorter: this one is optimal.`;
    return gap === undefined ? `${shorter}.` : `${shorter}, at most ${shareAtMost(gap)} above ${least}.`;
  }
  if (newest.iteration > state.iteration * (1 + rounding))
    return `No order that fits was found to be as short as ${schedule}. Does ${schedule} fit the memory?`;
  if (proven) return `${schedule} is optimal: it is proven that no ${orders} that fits is shorter.`;
  const none = `No order is known that is shorter than ${schedule}.`;
  return gap === undefined ? none : `${none} It is at most ${shareAtMost(gap)} above ${least}.`;
}
