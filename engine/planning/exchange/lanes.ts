/** The lanes of a pipeline whose gradients a rule orders: what is exchanged on each, and what a call takes. */
import { type MovedBytes, shardsState } from '../../costs/optimizer.ts';
import type { ExchangeUse, SyncUse } from '../../definitions/exchange.ts';
import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { FactorShape } from '../../definitions/collective.ts';
import { exchangeRule } from '../../exchange/rule.ts';
import type {
  ExchangePlan,
  ExchangeRule,
  LaneCall,
  LanePlan,
  StageGraph,
  TensorPlan,
} from '../../values/exchangePlan.ts';
import { gradientBuckets } from '../cost/gradientBuckets.ts';
import type { Notes } from '../notes.ts';
import { dataGroups, expertDataGroups, joinedGroups } from '../place/rankGroups.ts';
import type { SitedRanks } from '../place/sites.ts';
import { connectedHolders, type Holders } from './holders.ts';
import type { SharedUse } from './linkSharing.ts';
import { limitedCall, usesFactors } from './laneCall.ts';
import { noteIdleArguments, ruleFits } from './ruleFits.ts';
import { stageGraph, type StageNeeds } from './stageGraph.ts';

export interface LanesRequest extends Pick<SettledPipeline, 'name' | 'cluster' | 'at' | 'optimizer'> {
  readonly exchange: ExchangeUse & { readonly sync: SyncUse };
  readonly ranks: SitedRanks;
  readonly holders: readonly Holders[];
  readonly per: MovedBytes;
  /** By stage of the plan, the matrices of its layers that are fully connected. */
  readonly matrices: readonly (readonly (FactorShape | undefined)[])[];
  /** By stage of the plan, what its layers need. */
  readonly needs: readonly StageNeeds[];
  /** Only if lanes share links. */
  readonly sharing?: SharedUse | undefined;
}

/** A tensor, and the place of its layer in the stage. */
interface LayerTensor {
  readonly tensor: TensorPlan;
  readonly layer: number;
}

/** `undefined` where the rule contradicts itself, or a collective does not fit (reported). No lanes where nothing is exchanged. */
export function exchangeLanes(notes: Notes, request: LanesRequest): ExchangePlan | undefined {
  const { ranks, holders, exchange } = request;
  const rule = ruleOf(notes, request);
  if (rule === undefined) return undefined;
  const lanes: LanePlan[] = [];
  for (const group of connectedHolders(holders)) {
    const calls: LaneCall[] = [];
    const made: LayerTensor[] = [];
    for (const held of group) {
      const found = tensorsOf(notes, request, held, calls);
      if (found === undefined) return undefined;
      made.push(...found);
    }
    if (made.length === 0) continue;
    if (!ruleFits(notes, { sync: exchange.sync, at: request.at }, rule, { calls, tensors: made.length }))
      return undefined;
    made.sort((a, b) => a.tensor.stage - b.tensor.stage || a.tensor.before - b.tensor.before);
    const tensors = made.map(({ tensor }) => tensor);
    const pulls = rule.order === 'tio' || rule.order === 'tao';
    const graphs = pulls ? group.flatMap(({ held }) => graphsOf(request, held, made)) : [];
    const stages = [...new Set(tensors.map(({ stage }) => stage))].sort((a, b) => a - b);
    const devices = [...new Set(group.flatMap(({ members }) => members))].sort((a, b) => a - b);
    lanes.push({
      name: devices.map((device) => request.cluster.devices[ranks.ranks[device].devices[0]].name).join(', '),
      devices,
      stages,
      tensors,
      calls,
      ...(graphs.length > 0 ? { graphs } : {}),
      ...(exchange.sync.preset.wholeBehindFirst === true ? { whole: stages.filter((stage) => stage > 0) } : {}),
    });
  }
  noteFactors(notes, request);
  if (lanes.length > 0) noteIdleArguments(notes, { sync: exchange.sync, at: request.at }, rule);
  if (!piecesWithinLimit(notes, request, rule, lanes)) return undefined;
  const weights = shardsState(request.optimizer?.shard ?? 'none');
  const clip = request.optimizer?.clip === true;
  return { rule, lanes, ...(weights ? { weights } : {}), ...(clip ? { clip } : {}) };
}

/** In bytes, for the most ranks that hold the same weights. */
function ruleOf(
  notes: Notes,
  { exchange, ranks, holders, per, optimizer, at }: LanesRequest,
): ExchangeRule | undefined {
  const { preset, written, at: places } = exchange.sync;
  const data = holders.map(({ members }) =>
    members.reduce((sum, member) => {
      const { devices, mesh } = ranks.ranks[member];
      return sum + devices.length / mesh.tensor / (mesh.islands ?? 1);
    }, 0),
  );
  const rule = exchangeRule({ preset, written, ranks: Math.max(1, ...data), gradient: per.gradient });
  if ('allowed' in rule) {
    notes.report.report('value/range', places.get(rule.argument) ?? at('sync'), {
      what: `"${rule.argument}"`,
      value: rule.value,
      allowed: rule.allowed,
    });
    return undefined;
  }
  // Updated weights are gathered before the next forwards.
  return shardsState(optimizer?.shard ?? 'none') ? { ...rule, halves: 'apart' } : rule;
}

/** Factors need a matrix. */
export function noteFactors(
  notes: Notes,
  { exchange, at, matrices }: Pick<LanesRequest, 'at' | 'matrices'> & { readonly exchange: ExchangeUse },
): void {
  const hybrid = exchange.sync?.preset.collective === 'hybrid';
  if (!hybrid && exchange.collective?.factors !== true) return;
  const key = hybrid ? 'sync' : 'collective';
  const named = exchange.collective?.name;
  if (hybrid && named !== undefined && named !== 'ps') {
    notes.report.report('key/not-applicable', at(key), {
      key: 'hybrid',
      reason: `\`collective = ${named}\` sends all layers alike, none as factors. Remove \`collective\`, or write \`collective = ps\``,
    });
    return;
  }
  if (matrices.some((layers) => layers.some((matrix) => matrix !== undefined))) return;
  notes.report.report('key/not-applicable', at(key), {
    key: hybrid ? 'hybrid' : 'push = factors',
    reason: 'no layer is fully connected; a measured one needs its `matrix = [INPUTS, OUTPUTS]`',
  });
}

/** Counted before any is sent; each is a step of the simulation, as an operation is. */
function piecesWithinLimit(
  { report, options }: Notes,
  { exchange, at, name }: LanesRequest,
  { partition }: ExchangeRule,
  lanes: readonly LanePlan[],
): boolean {
  if (typeof partition !== 'number') return true;
  const pieces = lanes.reduce(
    (all, { tensors }) => tensors.reduce((sum, { bytes }) => sum + Math.ceil(bytes / partition), all),
    0,
  );
  const limit = options.limits.operations;
  if (pieces <= limit) return true;
  report.report('limit/too-large', exchange.sync.at.get('partition') ?? at('sync'), {
    what: `Pieces of gradients of pipeline "${name}"`,
    figure: pieces.toLocaleString('en-US'),
    limit: limit.toLocaleString('en-US'),
    setting: 'pipewright.limits.operations',
  });
  return false;
}

/** Tensors of the layers that these ranks hold; what a call takes is added to `calls`. */
function tensorsOf(
  notes: Notes,
  request: LanesRequest,
  holder: Holders,
  calls: LaneCall[],
): readonly LayerTensor[] | undefined {
  const { members, held } = holder;
  const { ranks, per, matrices, sharing } = request;
  const all = members.map((member) => ranks.ranks[member]);
  const factors = usesFactors(request.exchange);
  const tensors: LayerTensor[] = [];
  const numbers = new Map<string, number>();
  /** −1 where a rank is alone. */
  const callOf = (kind: 'dense' | 'experts', matrix: FactorShape | undefined): number | undefined => {
    const key = `${kind} ${matrix === undefined ? '' : [matrix.rows, matrix.columns, matrix.samples].join()}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const joined = joinedGroups(all, kind === 'dense' ? dataGroups : expertDataGroups);
    if (joined.groups[0].length === 1) {
      numbers.set(key, -1);
      return -1;
    }
    const call = limitedCall(notes, { ...request, ...joined }, matrix);
    if (call === undefined) return undefined;
    // Layers whose calls take the same share buckets.
    const text = JSON.stringify(call);
    const equal = calls.findIndex(({ links: _links, ...other }) => JSON.stringify(other) === text);
    const links = sharing?.linksOf(holder, kind, matrix);
    const number = equal < 0 ? calls.push(links === undefined ? call : { ...call, links }) - 1 : equal;
    numbers.set(key, number);
    return number;
  };
  for (const { layers, plan, on } of held) {
    const [stage] = on.values();
    for (const each of gradientBuckets(layers, per.gradient, 0, plan.recomputeMode === 'stage')) {
      const { dense, experts, left, before, first } = each;
      const matrix = factors ? matrices[stage]?.[first] : undefined;
      for (const [kind, parameters] of [
        ['dense', dense],
        ['experts', experts],
      ] as const) {
        if (parameters === 0) continue;
        const call = callOf(kind, kind === 'dense' ? matrix : undefined);
        if (call === undefined) return undefined;
        if (call < 0) continue;
        const bytes = parameters * per.gradient;
        tensors.push({ tensor: { layer: plan.layers[first], stage, bytes, left, before, call }, layer: first });
      }
    }
  }
  return tensors;
}

/** Graphs of the stages that are no chains. */
function graphsOf({ needs }: LanesRequest, held: Holders['held'], made: readonly LayerTensor[]): readonly StageGraph[] {
  return held.flatMap(({ layers, on }) => {
    const [stage] = on.values();
    const tensors: number[][] = layers.map(() => []);
    for (const [number, { tensor, layer }] of made.entries()) if (tensor.stage === stage) tensors[layer].push(number);
    const forward = layers.map((layer) => layer.forward);
    return stageGraph(stage, needs[stage], forward, (layer) => tensors[layer]) ?? [];
  });
}
