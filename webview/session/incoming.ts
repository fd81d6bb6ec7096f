import type { EngineOptions } from '../../engine/host.ts';
import type { PipelinePlan, Plan } from '../../engine/plan.ts';
import type { PreviewState, ToPage } from '../protocol/messages.ts';

/** Messages and kept state are checked before use: shape, types and the lengths that indices rely on. */

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isCount = (value: unknown): value is number => isNumber(value) && Number.isInteger(value) && value >= 0;
const isNumbers = (value: unknown): value is Record<string, number> =>
  isFields(value) && Object.values(value).every(isNumber);

export function readMessage(data: unknown): ToPage | undefined {
  if (!isFields(data)) return undefined;
  switch (data.type) {
    case 'plan': {
      const { uri, title, version, plan, overrides, options, pipeline } = data;
      if (
        !isText(uri) ||
        !isText(title) ||
        !isNumber(version) ||
        !isPlan(plan) ||
        !isNumbers(overrides) ||
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
      };
    }
    case 'broken': {
      const { uri, version, message } = data;
      return isText(uri) && isNumber(version) && isText(message)
        ? { type: 'broken', uri, version, message }
        : undefined;
    }
    case 'highlight': {
      const { paths } = data;
      return Array.isArray(paths) && paths.every(isText) ? { type: 'highlight', paths } : undefined;
    }
    default:
      return undefined;
  }
}

function isOptions(value: unknown): value is EngineOptions {
  return isFields(value) && isNumbers(value.limits) && isNumbers(value.thresholds) && isNumbers(value.memory);
}

function isPlan(value: unknown): value is Plan {
  return (
    isFields(value) &&
    isText(value.file) &&
    Array.isArray(value.params) &&
    value.params.every(
      (item) =>
        isFields(item) &&
        isText(item.name) &&
        isNumber(item.value) &&
        isNumber(item.default) &&
        isNumber(item.scale) &&
        isText(item.unit),
    ) &&
    Array.isArray(value.pipelines) &&
    value.pipelines.every(isPipeline) &&
    Array.isArray(value.jobs) &&
    value.jobs.every(isJob)
  );
}

const isJob = (value: unknown): boolean =>
  isFields(value) &&
  isText(value.name) &&
  Array.isArray(value.workers) &&
  value.workers.every(isText) &&
  isFields(value.sync) &&
  isCount(value.sync.distance) &&
  isCount(value.servers) &&
  isCount(value.waves);

function isPipeline(value: unknown): value is PipelinePlan {
  if (!isFields(value) || !isText(value.name) || !isCount(value.microbatches) || !isFields(value.schedule))
    return false;
  const { devices, stages, placement, edges, routes, step } = value;
  if (!Array.isArray(devices) || !Array.isArray(stages) || !Array.isArray(placement)) return false;
  if (!Array.isArray(edges) || !Array.isArray(routes) || !Array.isArray(step)) return false;
  const isStage = (item: unknown) => isCount(item) && item < stages.length;
  const isDevice = (item: unknown) => isCount(item) && item < devices.length;
  return (
    placement.length === stages.length &&
    placement.every(isDevice) &&
    devices.every((item) => isFields(item) && isText(item.name) && isNumber(item.memory) && isNumber(item.reserved)) &&
    stages.every(
      (item) =>
        isFields(item) &&
        isText(item.name) &&
        isNumber(item.forward) &&
        isNumber(item.backwardInput) &&
        isNumber(item.backwardWeight),
    ) &&
    edges.every((item) => isFields(item) && isStage(item.from) && isStage(item.to)) &&
    routes.every((item) => isFields(item) && isDevice(item.from) && isDevice(item.to))
  );
}

const colourings = ['operation', 'microbatch', 'chunk'] as const;

/** What can be used of a kept state; undefined where it is none. */
export function readState(data: unknown): PreviewState | undefined {
  if (!isFields(data) || !isText(data.uri)) return undefined;
  const number = (value: unknown) => (isNumber(value) ? value : undefined);
  return {
    uri: data.uri,
    pipeline: isText(data.pipeline) ? data.pipeline : undefined,
    t0: number(data.t0),
    t1: number(data.t1),
    scroll: number(data.scroll),
    rowHeight: number(data.rowHeight),
    colours: colourings.find((item) => item === data.colours),
    criticalPath: typeof data.criticalPath === 'boolean' ? data.criticalPath : undefined,
    overrides: isNumbers(data.overrides) ? data.overrides : undefined,
  };
}
