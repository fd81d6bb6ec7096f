/** Whether the exchange of gradients in a plan is one: its rule, and what each lane carries at which cost. */
import type { ExchangeRule, LaneCall, LanePlan, TensorPlan } from '../../engine/values/exchangePlan.ts';
import { isFields, isFigure } from '../protocol/state.ts';
import { all, figure, type Guard, isCount, isSwitch, isText, maybe, record, switched } from './guards.ts';

/** Shares of a stage that are left to run when a tensor is ready. */
export const isLeft = (value: unknown): boolean =>
  isFields(value) && [value.recompute, value.input, value.weight].every(isFigure);

/** Larger tensors, and more pieces of one, are a mistake: their exchange would take too long to simulate. */
const mostBytes = 2 ** 50;
const mostPieces = 2 ** 24;

const oneOf =
  (...words: readonly string[]): Guard =>
  (value) =>
    words.some((word) => word === value);
const sizeOr =
  (...words: readonly string[]): Guard =>
  (value) =>
    oneOf(...words)(value) || (isFigure(value) && value >= 1);

const isRule = record<ExchangeRule>({
  ...{ name: isText, order: oneOf('ready', 'forward', 'tail', 'tio', 'tao'), bucket: sizeOr('layer', 'best') },
  ...{ first: maybe(sizeOr()), cycle: maybe(figure), fuse: maybe(sizeOr()), strict: isSwitch, ack: figure },
  ...{ partition: sizeOr('whole', 'best', 'at_preemption'), credit: sizeOr('unlimited', 'piece', 'best') },
  ...{ barrier: isSwitch, earlyStart: isSwitch, halves: oneOf('together', 'apart') },
});

const isCost: Guard = (value) => {
  if (!isFields(value)) return false;
  if (value.kind === 'linear') return isFigure(value.fixed) && isFigure(value.perByte);
  if (value.kind === 'least') return all(isCost)(value.of);
  if (value.kind === 'steps') return all(figure)(value.from) && all(isCost)(value.of);
  const { bytes, seconds } = value;
  return (
    value.kind === 'table' &&
    isFigure(value.fixed) &&
    all(figure)(bytes) &&
    all(figure)(seconds) &&
    Array.isArray(bytes) &&
    Array.isArray(seconds) &&
    bytes.length === seconds.length
  );
};

const isCall = record<LaneCall>({
  ...{ name: isText, push: isCost, pull: maybe(isCost), oneLane: switched },
  ...{ delay: maybe(figure), sends: maybe(figure) },
  halves: maybe((value) => isFields(value) && isCost(value.scatter) && isCost(value.gather)),
});

/** For a plan with these devices and stages. */
export const isExchangeOf =
  (device: Guard, stage: Guard): Guard =>
  (value) => {
    if (!isFields(value) || !isRule(value.rule)) return false;
    const { partition } = value.rule as ExchangeRule;
    const isTensor = record<TensorPlan>({
      ...{ layer: isText, stage, left: isLeft, before: figure, call: isCount },
      bytes: (bytes) =>
        isFigure(bytes) && bytes <= mostBytes && (typeof partition !== 'number' || bytes / partition <= mostPieces),
    });
    const isLane = record<LanePlan>({
      ...{ name: isText, devices: all(device), stages: all(stage), tensors: all(isTensor), calls: all(isCall) },
    });
    return all(isLane)(value.lanes) && (value.lanes as readonly LanePlan[]).every(hasCalls);
  };

/** Whether a lane has the call of each of its tensors. */
const hasCalls = ({ tensors, calls }: LanePlan): boolean => tensors.every(({ call }) => call < calls.length);
