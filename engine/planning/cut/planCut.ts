/** `stages = plan(…)`: the stages and replicas that a planner makes, as if the file had said them. */
import type { Uncut, Unplanned } from '../../definitions/pipeline.ts';
import type { Notes } from '../notes.ts';
import type { Cut, PlanCut } from '../../definitions/cut.ts';
import type { DeviceDefinition } from '../../definitions/device.ts';
import { sizeOf } from '../../costs/mesh.ts';
import { count, list, time, timeAtLeast } from '../../basics/quantities.ts';
import type { Searches } from '../../basics/searches.ts';
import { dappleInTime } from './planners/dapple.ts';
import { alpaPlan, alpaProblemOf } from './alpaCut.ts';
import { hetpipePlan, hetpipeProblemOf } from './hetpipeCut.ts';
import type { PlannerLayers } from './planners/layers.ts';
import { pipedreamInTime } from './planners/pipedream.ts';
import { planSearch } from './planners/planSearch.ts';
import type { PlannerLevel } from './planners/pipedreamProblem.ts';
import { elementOrder } from '../../definitions/elementOrder.ts';
import { blocksOf, cutPlan, type Explained, type PlannedStageBlock } from './plannedBlocks.ts';
import { computes } from '../cost/computes.ts';
import { lengthCosts } from '../cost/lengthCosts.ts';
import { plannerCosts } from './plannerCosts.ts';
import { plannerLevels } from './plannerLevels.ts';
import { plannerLink, type PlannerLink } from './plannerLink.ts';
import { pipelineMode } from '../cost/recomputation.ts';
import { sitesOf } from '../place/sites.ts';

/** The planned stages as `stage` blocks; `undefined` if there can be no plan, which has been reported, or if the plan is being found elsewhere. */
export function planCut(notes: Notes, pipeline: Unplanned, cut: PlanCut): Cut | undefined {
  const { cluster, model, mesh } = pipeline;
  const [kind] = cluster.devices.map((device) => device.kind);
  const size = sizeOf(mesh);
  // Where not even one rank fits, that is told where ranks are made.
  const machines = Math.max(1, Math.floor(cluster.devices.length / size));
  const problem = problemOf(pipeline, cut);
  if (problem !== undefined || kind === undefined) return refuse(notes, cut, problem ?? 'there are no devices');
  // Without named links neighbours tell how far all are from one another; with them each pair may have a way of its own.
  if (cut.planner === 'alpa' || cut.planner === 'hetpipe') {
    const found = cut.planner === 'alpa' ? alpaPlan(notes, pipeline, kind) : hetpipePlan(notes, pipeline, cut);
    if (typeof found === 'string') return refuse(notes, cut, found);
    return found === undefined ? undefined : cutOf(notes, pipeline, cut, found, elementOrder(model));
  }
  if (!isInTime(pipeline, cut, machines) || (cluster.named.size > 0 && cluster.devices.length > mostNamed))
    return refuse(
      notes,
      cut,
      `${count(model.elements, 'layer', 'layers')} on ${count(machines, 'device', 'devices')} have too many plans to search; \`balance\` cuts any number`,
    );
  if (!computes(notes, { ...pipeline, meshes: [mesh] }, [kind])) return undefined;
  const groups = Array.from({ length: machines }, (_, machine) => ({
    kind,
    mesh,
    devices: Array.from({ length: size }, (_unused, index) => machine * size + index).filter(
      (value) => value < cluster.devices.length,
    ),
  }));
  const [site] = sitesOf(notes, pipeline, groups) ?? [];
  if (site === undefined) return undefined;
  const order = elementOrder(model);
  const costs = lengthCosts(model, pipeline.lengths);
  const layers = plannerCosts(pipeline, costs, order, site, pipelineMode(pipeline));
  const first = groups.flatMap(({ devices }) => devices.filter((_, index) => index % mesh.tensor === 0));
  const link = plannerLink(
    notes,
    pipeline,
    first,
    layers.crossing.reduce((most, value) => Math.max(most, value), 0),
  );
  if (link === undefined) return undefined;
  const request = { searches: notes.searches, pipeline, cut, layers, machines, link };
  const planned = cut.planner === 'dapple' ? byDapple(request) : byPipedream(request);
  // The answer is being found elsewhere.
  return planned === undefined ? undefined : cutOf(notes, pipeline, cut, planned, order);
}

/** The stages of a plan, with an inlay hint about it. */
function cutOf(notes: Notes, pipeline: Uncut, cut: PlanCut, planned: Explained, order: Int32Array): Cut {
  const blocks = blocksOf(pipeline, cut, planned, order);
  hint(notes, pipeline, cut, planned, blocks);
  const made = cutPlan(pipeline, cut, planned, blocks);
  return { kind: 'blocks', stages: blocks.map(({ block }) => block), count: blocks.length, planned: made };
}

interface Request {
  readonly searches: Searches;
  readonly pipeline: Uncut;
  readonly cut: PlanCut;
  readonly layers: PlannerLayers;
  readonly machines: number;
  readonly link: PlannerLink;
}

/** Devices of a cluster with named links, of which all pairs are looked at. */
const mostNamed = 512;

/** Whether the plan is found in about a second; several levels of links are planned as one if that takes longer. */
function isInTime(pipeline: Uncut, { planner }: PlanCut, machines: number): boolean {
  const layers = { count: pipeline.model.elements };
  if (planner === 'dapple') return dappleInTime({ layers, machines });
  return pipedreamInTime({ layers, levels: oneLevel(pipeline, machines, Infinity), ...turnsOf(pipeline) });
}

const turnsOf = (pipeline: Uncut) => ({ microbatches: pipeline.microbatches, replicates: takesTurns(pipeline) });

/** If stages have no replicas, more machines than layers are of no use. */
const oneLevel = (pipeline: Uncut, machines: number, bandwidth: number): readonly PlannerLevel[] => [
  { machines: takesTurns(pipeline) ? machines : Math.min(machines, pipeline.model.elements), bandwidth },
];

function byPipedream({ searches, pipeline, cut, layers, machines, link }: Request): Explained | undefined {
  const { objective } = cut;
  const turns = turnsOf(pipeline);
  const most = layers.crossing.reduce((larger, bytes) => Math.max(larger, bytes), 0);
  const nested = plannerLevels(pipeline.cluster, sizeOf(pipeline.mesh), most);
  const isNested = nested !== undefined && nested.length > 1 && pipedreamInTime({ layers, levels: nested, ...turns });
  const levels = isNested ? nested : oneLevel(pipeline, machines, link.bandwidth);
  const planned = searches.answer(planSearch, { planner: 'pipedream', layers, levels, ...turns, objective });
  if (planned === undefined) return undefined;
  const alone = turns.replicates ? '' : ` One device per stage: "${scheduleName(pipeline)}" takes no replicas in turn.`;
  const what = objective === 'paper' ? 'stage or transfer' : 'stage';
  const gap = planned.exact
    ? ''
    : ` The plan keeps one order of the layers; no plan is below ${timeAtLeast(planned.least)}.`;
  return {
    ...planned,
    levels,
    tooltip: `the slowest ${what} takes ${time(planned.seconds)} per update by the planner's formula.${gap}${alone} ${ignored}`,
  };
}

function byDapple({ searches, pipeline, layers, machines, link }: Request): Explained | undefined {
  const { microbatches, mesh } = pipeline;
  const data = mesh.data * mesh.context;
  const planned = searches.answer(planSearch, { planner: 'dapple', layers, microbatches, machines, data, link });
  if (planned === undefined) return undefined;
  const how = planned.exact
    ? 'and by it no plan takes less'
    : `the least that a bounded search found; by it no plan takes less than ${timeAtLeast(planned.least)}`;
  return {
    ...planned,
    levels: [{ machines, bandwidth: link.bandwidth }],
    tooltip: `an iteration takes ${time(planned.seconds)} by the planner's formula, ${how}. ${ignored}`,
  };
}

/** What neither planner looks at. */
const ignored = 'The planner ignores memory.';

const scheduleName = ({ use }: Uncut): string => (use.kind === 'policy' ? use.policy.name : use.definition.name);

const takesTurns = ({ use }: Uncut): boolean => use.kind === 'policy' && use.policy.replicates === true;

function problemOf(pipeline: Uncut, { planner }: PlanCut): string | undefined {
  if (planner === 'hetpipe') return hetpipeProblemOf(pipeline);
  const { cluster, use, mesh } = pipeline;
  const kinds = [...new Set<DeviceDefinition>(cluster.devices.map((device) => device.kind))];
  if (kinds.length > 1)
    return `it needs devices of one kind, and "${cluster.name}" has ${list(kinds.map((kind) => kind.name))}; \`balance\` supports different devices`;
  const chunks = use.kind === 'policy' ? use.policy.chunks(use.args) : 1;
  const copies = use.kind === 'policy' && use.policy.copies !== undefined && use.policy.replicates !== true;
  const own = use.kind === 'own' ? use.definition : undefined;
  const placed =
    own !== undefined && ((own.placement?.rule ?? 'linear') !== 'linear' || own.on !== undefined || own.parts > 1);
  if (chunks > 1 || copies || placed)
    return `it plans stages on separate devices, and "${scheduleName(pipeline)}" puts several, or parts of them, on one device; use \`balance\``;
  const asynchronous = (use.kind === 'policy' ? use.policy.weights?.(use.args) : use.definition.weights) ?? 'flush';
  if (planner === 'dapple' && asynchronous !== 'flush')
    return `it plans iterations that end in a flush, and "${scheduleName(pipeline)}" has no flush; use \`plan(pipedream)\``;
  if (planner === 'pipedream' && takesTurns(pipeline) && mesh.data > 1)
    return `it replicates stages by itself; leave out \`data = ${mesh.data}\``;
  return planner === 'alpa' ? alpaProblemOf(pipeline) : undefined;
}

function refuse(notes: Notes, { planner, at }: PlanCut, problem: string): undefined {
  notes.report.report('schedule/shape', at, { policy: `plan(${planner})`, problem, input: 'stages', values: [] });
  return undefined;
}

const mostTerms = 3;

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** ` 2 stages: 16 × 3, 25 × 1`: layers × replicas. Editors cut off long hints, so figures are in the tooltip. */
function hint(
  notes: Notes,
  { name }: Uncut,
  { at }: PlanCut,
  { stages, seconds, tooltip, shown: words }: Explained,
  blocks: readonly PlannedStageBlock[],
): void {
  const sizes = words?.stages ?? stages.map(({ from, to, replicas }) => `${to - from} × ${replicas}`);
  const short = words?.short ?? sizes;
  const shown = short.length > mostTerms ? [...short.slice(0, mostTerms - 1), '…'] : short;
  notes.derived.push({
    offset: at.end,
    text: ` ${count(stages.length, 'stage', 'stages')}: ${shown.join(', ')}`,
    tooltip: `Planned ${time(seconds)}, with ${words?.of ?? 'layers × replicas'} of each stage: ${sizes.join(', ')}.\n${sentence(tooltip)}`,
    planned: {
      pipeline: name,
      stages: blocks.map(({ block: _block, replicas: _replicas, devices: _devices, ...rest }) => rest),
    },
  });
}
