import type { EngineOptions } from '../../engine/basics/host.ts';
import type { ShownContents, ShownFix, ToPage } from '../protocol/messages.ts';
import type { OriginLine, Position, Range, ShownSchedule, WrittenBlocks } from '../protocol/requests.ts';
import { isFields, isFigure, readState } from '../protocol/state.ts';
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
const isFigures = (value: unknown): value is Record<string, number> =>
  isFields(value) && Object.values(value).every(isFigure);

export function readMessage(data: unknown): ToPage | undefined {
  if (!isFields(data)) return undefined;
  switch (data.type) {
    case 'plan': {
      const { uri, title, version, plan, overrides, options, pipeline, trying, contents, schedules, orders } = data;
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
    }
    case 'view': {
      const state = readState(data.state);
      return state === undefined ? undefined : { type: 'view', state };
    }
    case 'rowMoved': {
      const { request, text, note, problem } = data;
      return isCount(request)
        ? {
            type: 'rowMoved',
            request,
            ...(isText(text) ? { text } : {}),
            ...(isText(note) ? { note } : {}),
            ...(isText(problem) ? { problem } : {}),
          }
        : undefined;
    }
    case 'slotMoved': {
      const { request, text, stages, problem } = data;
      return isCount(request) && Array.isArray(stages) && stages.every(isCount)
        ? {
            type: 'slotMoved',
            request,
            stages,
            ...(isText(text) ? { text } : {}),
            ...(isText(problem) ? { problem } : {}),
          }
        : undefined;
    }
    case 'lines': {
      const { request, lines } = data;
      return isCount(request) && Array.isArray(lines) && lines.every((line) => line === null || isCount(line))
        ? { type: 'lines', request, lines }
        : undefined;
    }
    case 'fixes': {
      const { request, fixes } = data;
      return isCount(request) && Array.isArray(fixes) && fixes.every(isFix)
        ? { type: 'fixes', request, fixes }
        : undefined;
    }
    case 'broken': {
      const { uri, version, message, range } = data;
      if (!isText(uri) || !isFigure(version) || !isText(message)) return undefined;
      return { type: 'broken', uri, version, message, ...(isRange(range) ? { range } : {}) };
    }
    case 'gone': {
      const { uri, title, version, renamed } = data;
      if (!isText(uri) || !isText(title) || !isFigure(version)) return undefined;
      return { type: 'gone', uri, title, version, ...(isText(renamed) ? { renamed } : {}) };
    }
    case 'moved': {
      const { from, uri, title } = data;
      return isText(from) && isText(uri) && isText(title) ? { type: 'moved', from, uri, title } : undefined;
    }
    case 'stopped': {
      const { uri, version, message } = data;
      return isText(uri) && isFigure(version) && isText(message)
        ? { type: 'stopped', uri, version, message }
        : undefined;
    }
    case 'entry': {
      const { request, index, name, plan, options, problem, adoptable, changed, order } = data;
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
    }
    case 'beside': {
      const { pair, title, pipeline, note, plans, options, problem, orders, broken } = data;
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
      };
    }
    case 'besideLate':
      return isSwitch(data.late) ? { type: 'besideLate', late: data.late } : undefined;
    case 'compare':
      return { type: 'compare' };
    case 'plans':
    case 'planFound':
    case 'planEnd':
    case 'planEdited':
    case 'planKept':
    case 'planNote':
      return readPlanMessage(data);
    case 'findOrder':
      return { type: 'findOrder' };
    case 'order':
      return isCount(data.request) ? { type: 'order', request: data.request, ...readShownOrder(data) } : undefined;
    case 'entries': {
      const { request, count } = data;
      return isCount(request) && isCount(count) ? { type: 'entries', request, count } : undefined;
    }
    case 'late':
      return isSwitch(data.late) ? { type: 'late', late: data.late } : undefined;
    case 'idle':
      return { type: 'idle' };
    case 'modes': {
      const { docked, following, outlineAtCursor, revealOnClick } = data;
      return isSwitch(docked) && isSwitch(following) && isSwitch(outlineAtCursor) && isSwitch(revealOnClick)
        ? { type: 'modes', docked, following, outlineAtCursor, revealOnClick }
        : undefined;
    }
    case 'highlight': {
      const { groups, blocks } = data;
      if (!Array.isArray(groups) || !groups.every(isTexts)) return undefined;
      return { type: 'highlight', groups, ...(Array.isArray(blocks) && blocks.every(isWritten) ? { blocks } : {}) };
    }
    case 'origin': {
      const { request, lines } = data;
      return isCount(request) && Array.isArray(lines) && lines.every(isLine)
        ? { type: 'origin', request, lines }
        : undefined;
    }
    default:
      return undefined;
  }
}

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
