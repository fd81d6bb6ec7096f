import { table } from '../../engine/basics/table.ts';
import type { EngineOptions } from '../../engine/basics/host.ts';
import type { ShownContents, ShownFix, ToPage } from '../protocol/messages.ts';
import type { OriginLine, Position, Range, RunText, ShownSchedule, WrittenBlocks } from '../protocol/requests.ts';
import { type Fields, isFields, isFigure, readState } from '../protocol/state.ts';
import { isPipeline, isPlan } from './incomingPlan.ts';
import { readPlanMessage } from './incomingPlans.ts';
import { isFoundOrder, isFoundOrders, readShownOrder } from './incomingOrder.ts';

/** Messages are checked before use: shape, types and the lengths that indices rely on. */

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => isFigure(value) && Number.isInteger(value) && value >= 0;
const isSwitch = (value: unknown): value is boolean => typeof value === 'boolean';
const isPosition = (value: unknown): value is Position =>
  isFields(value) && isCount(value.line) && isCount(value.character);
const isRange = (value: unknown): value is Range => isFields(value) && isPosition(value.start) && isPosition(value.end);
const isRunText = (value: unknown): value is RunText =>
  isFields(value) &&
  isText(value.text) &&
  isCount(value.steps) &&
  isCount(value.left) &&
  Array.isArray(value.remarks) &&
  value.remarks.every(isText) &&
  Array.isArray(value.pipelines) &&
  value.pipelines.every((ranks: unknown) => Array.isArray(ranks) && ranks.every(isCount));

/** What is below is a recorded run, which may still be read. */
const runOf = ({ isRun, run, reading }: Fields): Pick<Beside, 'isRun' | 'run' | 'reading'> => ({
  ...(isRun === true ? { isRun } : {}),
  ...(isRunText(run) ? { run } : {}),
  ...(isFields(reading) && isFigure(reading.share) && isText(reading.what)
    ? { reading: { share: reading.share, what: reading.what } }
    : {}),
});
type Beside = Extract<ToPage, { readonly type: 'beside' }>;

const isFigures = (value: unknown): value is Record<string, number> =>
  isFields(value) && Object.values(value).every(isFigure);

const isHelpFigures = (value: unknown): boolean =>
  isFields(value) &&
  [value.iteration, value.throughput, value.bubble, value.peak, value.capacity].every(isFigure) &&
  isSwitch(value.fits);

const isFix = (value: unknown): value is ShownFix =>
  isFields(value) &&
  isText(value.title) &&
  isHelpFigures(value.effect) &&
  (value.before === undefined || isHelpFigures(value.before)) &&
  (value.diff === undefined || (Array.isArray(value.diff) && value.diff.every(isText)));

const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);

const isWritten = (value: unknown): value is WrittenBlocks =>
  isFields(value) &&
  isText(value.pipeline) &&
  isCount(value.operations) &&
  (value.rows === undefined || (isTexts(value.rows) && value.rows.every((bits) => /^[\w+/]*={0,2}$/u.test(bits))));

const isLine = (value: unknown): value is OriginLine => isTexts(value) && value.length === 2;

const isContents = (value: unknown): value is ShownContents =>
  isFields(value) &&
  Array.isArray(value.declared) &&
  value.declared.every((item) => isFields(item) && isText(item.kind) && isTexts(item.names) && isCount(item.count)) &&
  (value.addition === undefined ||
    (isFields(value.addition) && isText(value.addition.title) && isTexts(value.addition.assumptions)));

const isAxis = (value: unknown): boolean =>
  isFields(value) && isText(value.name) && Array.isArray(value.values) && value.values.every(isFigure);

const isBlock = (value: unknown): boolean =>
  isFields(value) &&
  isCount(value.period) &&
  value.period > 0 &&
  isCount(value.devices) &&
  Array.isArray(value.operations) &&
  value.operations.every(
    (item) => isFields(item) && isText(item.kind) && isCount(item.stage) && isCount(item.device) && isCount(item.slot),
  );

const isSchedule = (value: unknown): value is ShownSchedule =>
  isFields(value) &&
  isText(value.name) &&
  Array.isArray(value.axes) &&
  value.axes.every(isAxis) &&
  isText(value.verdicts) &&
  isTexts(value.params) &&
  (value.block === undefined || isBlock(value.block)) &&
  (value.problem === undefined ||
    (isFields(value.problem) &&
      isText(value.problem.message) &&
      isSwitch(value.problem.ofShape) &&
      (value.problem.range === undefined || isRange(value.problem.range))));

function isOptions(value: unknown): value is EngineOptions {
  return isFields(value) && isFigures(value.limits) && isFigures(value.thresholds) && isFigures(value.memory);
}

/** A message of a type, if its fields are right. */
type Reader = (data: Fields) => ToPage | undefined;

const readers: Readonly<Record<ToPage['type'], Reader>> = {
  plan({ uri, title, version, plan, overrides, options, pipeline, trying, contents, schedules, orders }) {
    if (
      !isText(uri) ||
      !isText(title) ||
      !isFigure(version) ||
      !isPlan(plan) ||
      !isFigures(overrides) ||
      !isOptions(options)
    )
      return undefined;
    return {
      type: 'plan',
      uri,
      title,
      version,
      plan,
      overrides,
      options,
      ...(isText(pipeline) ? { pipeline } : {}),
      ...(isText(trying) ? { trying } : {}),
      ...(isContents(contents) ? { contents } : {}),
      ...(Array.isArray(schedules) && schedules.every(isSchedule) ? { schedules } : {}),
      ...(isFoundOrders(orders) ? { orders } : {}),
    };
  },
  draw({ request, svg, scale }) {
    return isCount(request) && isText(svg) && isFigure(scale) && scale > 0
      ? { type: 'draw', request, svg, scale }
      : undefined;
  },
  view(data) {
    const state = readState(data.state);
    return state === undefined ? undefined : { type: 'view', state };
  },
  rowMoved({ request, text, note, problem }) {
    return isCount(request)
      ? {
          type: 'rowMoved',
          request,
          ...(isText(text) ? { text } : {}),
          ...(isText(note) ? { note } : {}),
          ...(isText(problem) ? { problem } : {}),
        }
      : undefined;
  },
  slotMoved({ request, text, stages, problem }) {
    return isCount(request) && Array.isArray(stages) && stages.every(isCount)
      ? {
          type: 'slotMoved',
          request,
          stages,
          ...(isText(text) ? { text } : {}),
          ...(isText(problem) ? { problem } : {}),
        }
      : undefined;
  },
  lines({ request, lines }) {
    return isCount(request) && Array.isArray(lines) && lines.every((line) => line === null || isCount(line))
      ? { type: 'lines', request, lines }
      : undefined;
  },
  fixes({ request, fixes }) {
    return isCount(request) && Array.isArray(fixes) && fixes.every(isFix)
      ? { type: 'fixes', request, fixes }
      : undefined;
  },
  broken({ uri, version, message, range }) {
    if (!isText(uri) || !isFigure(version) || !isText(message)) return undefined;
    return { type: 'broken', uri, version, message, ...(isRange(range) ? { range } : {}) };
  },
  gone({ uri, title, version, renamed }) {
    if (!isText(uri) || !isText(title) || !isFigure(version)) return undefined;
    return { type: 'gone', uri, title, version, ...(isText(renamed) ? { renamed } : {}) };
  },
  moved({ from, uri, title }) {
    return isText(from) && isText(uri) && isText(title) ? { type: 'moved', from, uri, title } : undefined;
  },
  stopped({ uri, version, message }) {
    return isText(uri) && isFigure(version) && isText(message) ? { type: 'stopped', uri, version, message } : undefined;
  },
  entry({ request, index, name, plan, options, problem, adoptable, changed, order }) {
    if (!isCount(request) || !isCount(index) || !isText(name) || !isSwitch(adoptable)) return undefined;
    const runs = isPipeline(plan) && isOptions(options) ? { plan, options } : {};
    return {
      type: 'entry',
      request,
      index,
      name,
      adoptable,
      ...runs,
      ...(isFoundOrder(order) ? { order } : {}),
      ...(isText(problem) ? { problem } : {}),
      ...(isText(changed) ? { changed } : {}),
    };
  },
  beside({ pair, title, pipeline, note, plans, options, problem, orders, broken, ...rest }) {
    if (!isCount(pair) || !isText(title)) return undefined;
    const runs = Array.isArray(plans) && plans.every(isPipeline) && isOptions(options) ? { plans, options } : {};
    return {
      type: 'beside',
      ...{ pair, title },
      ...runs,
      ...(isFoundOrders(orders) ? { orders } : {}),
      ...(isText(pipeline) ? { pipeline } : {}),
      ...(isText(note) ? { note } : {}),
      ...(isText(problem) ? { problem } : {}),
      ...(broken === true ? { broken } : {}),
      ...runOf(rest),
    };
  },
  besideLate: (data) => (isSwitch(data.late) ? { type: 'besideLate', late: data.late } : undefined),
  compare: () => ({ type: 'compare' }),
  plans: readPlanMessage,
  planFound: readPlanMessage,
  planEnd: readPlanMessage,
  planEdited: readPlanMessage,
  planKept: readPlanMessage,
  planNote: readPlanMessage,
  findOrder: () => ({ type: 'findOrder' }),
  order: (data) =>
    isCount(data.request) ? { type: 'order', request: data.request, ...readShownOrder(data) } : undefined,
  entries({ request, count }) {
    return isCount(request) && isCount(count) ? { type: 'entries', request, count } : undefined;
  },
  late: (data) => (isSwitch(data.late) ? { type: 'late', late: data.late } : undefined),
  idle: () => ({ type: 'idle' }),
  modes({ docked, following, outlineAtCursor, revealOnClick }) {
    return isSwitch(docked) && isSwitch(following) && isSwitch(outlineAtCursor) && isSwitch(revealOnClick)
      ? { type: 'modes', docked, following, outlineAtCursor, revealOnClick }
      : undefined;
  },
  highlight({ groups, blocks }) {
    if (!Array.isArray(groups) || !groups.every(isTexts)) return undefined;
    return { type: 'highlight', groups, ...(Array.isArray(blocks) && blocks.every(isWritten) ? { blocks } : {}) };
  },
  origin({ request, lines }) {
    return isCount(request) && Array.isArray(lines) && lines.every(isLine)
      ? { type: 'origin', request, lines }
      : undefined;
  },
};
const byType = table<Reader | undefined>(readers);

export const readMessage = (data: unknown): ToPage | undefined =>
  isFields(data) && isText(data.type) ? byType[data.type]?.(data) : undefined;
