import type { PipelinePlan } from '../../engine/values/plan.ts';
import { stageName, stageNumber } from '../../engine/costs/stages.ts';
import { kindOf, kinds, letters } from '../../engine/values/program.ts';
import { microbatchOf, stageOf, typeOf } from '../picture/blocks.ts';
import type { Picture } from '../picture/picture.ts';

/** What a search asks for; all given parts must hold. */
export interface Query {
  readonly microbatch?: number;
  readonly kind?: string;
  /** Number of the declared operation, where it is to be one of them. */
  readonly declared?: number | undefined;
  readonly device?: string;
  readonly stage?: string;
  /** Blocks of the stage that has the layer, and pieces with its gradients. */
  readonly layer?: string;
  readonly durations: readonly Comparison[];
  /** Of the idle time right before the block. */
  readonly bubbles: readonly Comparison[];
}
interface Comparison {
  readonly operator: '<' | '>';
  readonly seconds: number;
}

const units: Readonly<Record<string, number>> = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1 };

/** `mb:5 kind:B dev:3 stage:1 dur>4ms bubble>10ms`; what is wrong with it, as a string. `declared`: operations of the schedule. */
export function parseQuery(text: string, declared: readonly string[] = []): Query | string {
  let query: Query = { durations: [], bubbles: [] };
  for (const word of text.trim().split(/\s+/)) {
    if (word === '') continue;
    const [, key, operator, value] = /^([a-z]+)([:<>])(.+)$/i.exec(word) ?? [];
    switch (key?.toLowerCase()) {
      case 'mb':
        if (operator !== ':' || !/^\d+$/.test(value)) return `"${word}": a microbatch is a whole number, such as mb:5`;
        query = { ...query, microbatch: Number(value) };
        break;
      case 'kind':
        if (operator === ':' && declared.includes(value)) {
          query = { ...query, kind: 'operation', declared: declared.indexOf(value) };
          break;
        }
        if (operator !== ':' || !new RegExp(`^([${letters.join('')}]|operation|sync|optimizer)$`, 'i').test(value))
          return `"${word}": a kind is ${[...letters, ...declared].join(', ')}, operation, sync or optimizer`;
        query = { ...query, kind: value.length === 1 ? value.toUpperCase() : value.toLowerCase(), declared: undefined };
        break;
      case 'dev':
      case 'stage':
        if (operator !== ':') return `"${word}": write ${key}:3 or ${key}:name`;
        query = key === 'dev' ? { ...query, device: value } : { ...query, stage: value };
        break;
      case 'layer':
        if (operator !== ':') return `"${word}": write layer:name`;
        query = { ...query, layer: value };
        break;
      case 'dur':
      case 'bubble': {
        const quantity = /^(\d+(?:\.\d+)?)(ns|us|µs|ms|s)$/.exec(value);
        if (operator === ':' || quantity === null) return `"${word}": write ${key}>4ms or ${key}<1s`;
        const comparison: Comparison = {
          operator: operator as '<' | '>',
          seconds: Number(quantity[1]) * units[quantity[2]],
        };
        query =
          key === 'dur'
            ? { ...query, durations: [...query.durations, comparison] }
            : { ...query, bubbles: [...query.bubbles, comparison] };
        break;
      }
      default:
        return `"${word}": search by mb: kind: dev: stage: layer: dur> bubble>`;
    }
  }
  return query;
}

/** By number in the cut, by name, or by the name of one copy. */
const ofStage = (plan: PipelinePlan, wanted: string, stage: number): boolean =>
  String(stageNumber(plan, stage)) === wanted ||
  plan.stages[stage].name === wanted ||
  stageName(plan.stages[stage]) === wanted;

/** An operation, as a query sees it. Seconds; NaN for what has no time. */
interface Asked {
  readonly device: number;
  readonly stage: number;
  readonly microbatch: number;
  readonly kind: string;
  readonly declared: number;
  readonly seconds: number;
  readonly idle: number;
}

/** Whether a query asks for an operation. */
export const asksFor = (plan: PipelinePlan, query: Query, operation: Asked): boolean =>
  (query.device === undefined ||
    String(operation.device) === query.device ||
    plan.devices[operation.device].name === query.device) &&
  (query.microbatch === undefined || operation.microbatch === query.microbatch) &&
  (query.stage === undefined || ofStage(plan, query.stage, operation.stage)) &&
  (query.layer === undefined || plan.stages[operation.stage]?.layers.includes(query.layer) === true) &&
  (query.kind === undefined || operation.kind === query.kind) &&
  (query.declared === undefined || operation.declared === query.declared) &&
  holds(query.durations, operation.seconds) &&
  holds(query.bubbles, operation.idle);

const holds = (all: readonly Comparison[], value: number): boolean =>
  all.every(({ operator, seconds }) => (operator === '<' ? value < seconds : value > seconds));

/** Blocks that the query asks for, ascending. One pass over all blocks. */
export function find(plan: PipelinePlan, picture: Picture, query: Query): Int32Array {
  const { columns } = picture;
  const { offsets, start, end } = columns;
  const named = (all: readonly { readonly name: string }[], wanted: string | undefined, index: number) =>
    wanted === undefined || String(index) === wanted || all[index].name === wanted;
  const found = new Int32Array(columns.word.length);
  let count = 0;
  for (let device = 0; device < columns.rows; device += 1) {
    if (!named(plan.devices, query.device, device)) continue;
    for (let block = offsets[device]; block < offsets[device + 1]; block += 1) {
      if (query.microbatch !== undefined && microbatchOf(picture, block) !== query.microbatch) continue;
      const stage = stageOf(picture, block);
      if (query.stage !== undefined && (stage < 0 || !ofStage(plan, query.stage, stage))) continue;
      if (query.layer !== undefined && (stage < 0 || !plan.stages[stage].layers.includes(query.layer))) continue;
      if (query.kind !== undefined && typeOf(picture, block) !== query.kind) continue;
      if (query.declared !== undefined && kindOf(columns, columns.word[block]) - kinds !== query.declared) continue;
      if (!holds(query.durations, end[block] - start[block])) continue;
      // The second of two that share a slot starts before the first one ends.
      const idle = Math.max(0, start[block] - (block > offsets[device] ? end[block - 1] : 0));
      if (!holds(query.bubbles, idle)) continue;
      found[count] = block;
      count += 1;
    }
  }
  return found.slice(0, count);
}
