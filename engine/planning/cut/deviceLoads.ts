/** What a cut costs each device: the share of its capacity that it takes. */
import type { PipelinePlan } from '../../values/plan.ts';
import type { Program } from '../../values/program.ts';
import { bufferBytes, type MessageRoom } from '../cost/messageRoom.ts';
import { copyEdges } from '../place/copies.ts';
import type { SitedRanks } from '../place/sites.ts';
import { heldFigures, heldRows } from './heldRows.ts';
import { column, columns, type RunsFrom } from './runFigures.ts';

/** A device and the stages of the cut on it: plain data, good for every cut. */
export interface DeviceLoad {
  readonly site: number;
  readonly stages: readonly number[];
  /** Of `heldFigures`, those that any layer has. */
  readonly figures: readonly number[];
  /** What it holds at a time, as multiples of these figures of each of its stages (`heldRows`). */
  readonly rows: readonly Float64Array[];
  /** By stage: how often it has the weights, and its buffers for each byte that enters and leaves. */
  readonly owned: readonly number[];
  readonly entering: readonly number[];
  readonly leaving: readonly number[];
  /** Its stages share these buffers: room for the largest is enough. */
  readonly sharedRoom: boolean;
  readonly capacity: number;
}

export interface Load {
  readonly stages: readonly number[];
  /** Share of its capacity that it takes at most, under a cut given by first layers; `only` as if it had that stage alone. */
  share(starts: ArrayLike<number>, only?: number): number;
}

export interface LoadsRequest {
  readonly ranks: SitedRanks;
  /** Site of each rank, by its number. */
  readonly siteOf: readonly number[];
  /** Stages of the cut. */
  readonly count: number;
  /** Pieces that the schedule cuts every microbatch into. */
  readonly parts: number;
  readonly room: MessageRoom;
  /** What a stage keeps depends on where it starts. */
  readonly wholeStages: boolean;
}

/** A device at a time. `runs`: of any order. */
export function* deviceLoads(
  request: LoadsRequest,
  plan: PipelinePlan,
  program: Program,
  runs: RunsFrom,
): Generator<void, readonly DeviceLoad[], void> {
  const { ranks, siteOf, parts, wholeStages } = request;
  const number = (index: number) => ranks.copies?.[index].stage ?? index;
  const buffers = bufferShares(request);
  const loads: DeviceLoad[] = [];
  for (const [device, site] of siteOf.entries()) {
    const here = ranks.placement.flatMap((rank, index) => (rank === device ? [index] : []));
    const stages = [...new Set(here.map(number))].sort((a, b) => a - b);
    // What no layer has needs no column. Of a stage that is one checkpoint, what is kept depends on where it starts.
    const whole = runs(site, 0).subarray(-columns);
    const figures = heldFigures.flatMap((_, index) => (wholeStages || whole[column.held + index] > 0 ? [index] : []));
    const names = figures.map((figure) => heldFigures[figure]);
    const rows = yield* heldRows(plan, program, device, stages, parts, names);
    const sum = (stage: number, of: (index: number) => number) =>
      here.reduce((total, index) => total + (number(index) === stage ? of(index) : 0), 0);
    loads.push({
      site,
      stages,
      figures,
      rows,
      owned: stages.map((stage) => sum(stage, (index) => ((ranks.copies?.[index].segment ?? 0) === 0 ? 1 : 0))),
      entering: stages.map((stage) => sum(stage, (index) => buffers.entering[index])),
      leaving: stages.map((stage) => sum(stage, (index) => buffers.leaving[index])),
      sharedRoom: request.room.of === 'device',
      capacity: Math.max(1, plan.devices[device].memory - plan.devices[device].reserved),
    });
  }
  return loads;
}

/** What cuts of `layers` layers into `parts` stages cost a device. */
export function loadOf(device: DeviceLoad, runs: RunsFrom, parts: number, layers: number): Load {
  const { site, stages, figures, rows, owned, entering, leaving, sharedRoom, capacity } = device;
  const width = figures.length;
  const held = new Float64Array(stages.length * width);
  return {
    stages,
    share(starts, only) {
      let always = 0;
      // The update holds copies of gradients, and activations are gone then.
      let update = 0;
      let [received, sent] = [0, 0];
      for (let index = 0; index < stages.length; index += 1) {
        const stage = stages[index];
        if (only !== undefined && only !== stage) {
          held.fill(0, index * width, (index + 1) * width);
          continue;
        }
        const from = starts[stage];
        const to = stage + 1 < parts ? starts[stage + 1] : layers;
        const run = runs(site, from);
        const at = (to - from - 1) * columns;
        update += owned[index] * run[at + column.update];
        always += owned[index] * run[at + column.static];
        const [behind, ahead] = [
          entering[index] * run[at + column.entering],
          leaving[index] * run[at + column.leaving],
        ];
        received = sharedRoom ? Math.max(received, behind) : received + behind;
        sent = sharedRoom ? Math.max(sent, ahead) : sent + ahead;
        for (let figure = 0; figure < width; figure += 1)
          held[index * width + figure] = run[at + column.held + figures[figure]];
      }
      always += received + sent;
      let most = 0;
      for (let row = 0; row < rows.length; row += 1) {
        const times = rows[row];
        let bytes = 0;
        for (let entry = 0; entry < times.length; entry += 1) bytes += times[entry] * held[entry];
        if (bytes > most) most = bytes;
      }
      return (always + Math.max(most, update)) / capacity;
    },
  };
}

/** For each stage of the plan, how many bytes of buffers it has for a byte from the stage before and for one to the stage behind. */
function bufferShares({ ranks, parts, room, count }: LoadsRequest): {
  readonly entering: Float64Array;
  readonly leaving: Float64Array;
} {
  const entering = new Float64Array(ranks.placement.length);
  const leaving = new Float64Array(ranks.placement.length);
  for (let stage = 1; stage < count; stage += 1) {
    const edge = [{ from: stage - 1, to: stage, bytes: 1 / parts }];
    const edges = ranks.copies === undefined ? edge : copyEdges(edge, ranks.copies);
    for (const [index, bytes] of bufferBytes({ edges, ranks, room }).entries()) {
      if ((ranks.copies?.[index].stage ?? index) === stage) entering[index] += bytes;
      else leaving[index] += bytes;
    }
  }
  return { entering, leaving };
}
