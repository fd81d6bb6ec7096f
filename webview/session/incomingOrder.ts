/** The search for a shorter order, as messages bring it: checked before use. */
import type { GivenOrder } from '../../engine/policies/searched/given.ts';
import type { ShownOrder } from '../protocol/messages.ts';
import type { FoundOrder, OrderPoint, OrderState } from '../protocol/requests.ts';
import { isFields, isFigure } from '../protocol/state.ts';

const isText = (value: unknown): value is string => typeof value === 'string';
const isTime = (value: unknown): value is number => isFigure(value) && value >= 0;

const isPoint = (value: unknown): value is OrderPoint =>
  Array.isArray(value) && value.length === 3 && value.every(isTime);

const isArguments = (value: unknown): boolean =>
  isFields(value) && Object.values(value).every((item) => isText(item) || isFigure(item));

const isRisk = (value: unknown): boolean =>
  isFields(value) &&
  [value.p95, value.orders, value.draws].every(isTime) &&
  isFields(value.shortest) &&
  isTime(value.shortest.makespan) &&
  isTime(value.shortest.p95);

/** Only the words are not looked at: whoever uses them does. */
export const isFoundOrder = (value: unknown): value is FoundOrder =>
  isFields(value) &&
  isFields(value.schedule) &&
  value.schedule.kind === 'policy' &&
  value.schedule.name === 'search' &&
  isArguments(value.schedule.args) &&
  isText(value.words) &&
  /^[\w+/]*={0,2}$/u.test(value.words) &&
  isTime(value.bound) &&
  isTime(value.spanBound) &&
  isTime(value.effort) &&
  isTime(value.work) &&
  isText(value.by) &&
  (value.risk === undefined || isRisk(value.risk));

export const isFoundOrders = (value: unknown): value is Readonly<Record<string, FoundOrder>> =>
  isFields(value) && Object.values(value).every(isFoundOrder);

const isState = (value: unknown): value is OrderState =>
  isFields(value) &&
  isTime(value.effort) &&
  typeof value.mayGoOn === 'boolean' &&
  isText(value.schedule) &&
  isTime(value.iteration) &&
  Array.isArray(value.points) &&
  value.points.length > 0 &&
  value.points.every(isPoint) &&
  isFoundOrder(value.order);

const isEnd = (value: unknown): value is NonNullable<ShownOrder['end']> =>
  isFields(value) &&
  (value.status === 'optimal' || value.status === 'within') &&
  typeof value.fits === 'boolean' &&
  (value.stopped === undefined || value.stopped === true) &&
  typeof value.keeps === 'boolean';

export const readShownOrder = ({ state, end, reason }: Readonly<Record<string, unknown>>): ShownOrder => ({
  ...(isState(state) ? { state } : {}),
  ...(isState(state) && isEnd(end) ? { end } : {}),
  ...(isText(reason) ? { reason } : {}),
});

/** The order as the worker takes it. */
export const givenOf = ({ words, bound, spanBound, effort, work, by, risk }: FoundOrder): GivenOrder => ({
  words: Uint8Array.from(atob(words), (letter) => letter.charCodeAt(0)),
  ...{ bound, spanBound, effort, work, by },
  ...(risk === undefined ? {} : { risk }),
});
