import type { PipelinePlan } from '../../engine/values/plan.ts';
import type { GivenOrder } from '../../engine/policies/searched/given.ts';
import type { RowPair } from '../picture/rowPairs.ts';
import type { RaceEntry } from '../protocol/messages.ts';
import type { BehindDevice, FromWorker, StripRequest, ToWorker } from '../worker/messages.ts';
import { engineWorker, type EngineWorker } from './engineWorker.ts';
import { givenOf } from './incomingOrder.ts';
import type { Runner } from './standings.ts';

export type StripImage = Extract<FromWorker, { readonly type: 'strip' }>;

export type EnteredRun = Extract<FromWorker, { readonly type: 'enteredRun' }>;

export type Paired = Extract<FromWorker, { readonly type: 'paired' }>;

type Palette = Extract<ToWorker, { readonly type: 'palette' }>['palette'];

export interface RacingHost {
  palette(): Palette;
  /** A runner has come, or its figures have. */
  changed(): void;
  strip(image: StripImage): void;
  /** The same operations of two timelines. */
  paired?(message: Paired): void;
  /** A plan and a recorded run of it. */
  ran?(message: EnteredRun): void;
  failed(reason: string): void;
}

/** Simulates timelines to compare in a separate worker, so that the timeline on show never waits. */
export function racing(host: RacingHost) {
  let worker: EngineWorker | undefined;
  let runners: readonly Runner[] = [];
  let next = 0;
  /** What was asked of pairs of timelines; `undefined` while the answer is to come. */
  const traced = new Map<string, BehindDevice | undefined>();
  /** The run that the worker has. */
  let recorded = '';

  function started(): EngineWorker {
    if (worker !== undefined) return worker;
    const made = engineWorker((message) => {
      // Answers of a race that has ended.
      if (worker !== made) return;
      if (message.type === 'strip') host.strip(message);
      else if (message.type === 'paired') host.paired?.(message);
      else if (message.type === 'enteredRun') host.ran?.(message);
      else if (message.type === 'behind') {
        traced.set(`${message.id} ${message.baseline}`, message.device);
        host.changed();
      } else if (message.type === 'failed') host.failed(message.reason);
      else if (message.type === 'entered') {
        const { id, result } = message;
        runners = runners.map((runner) => (runner.id === id ? { ...runner, result } : runner));
        host.changed();
      }
    }, host.failed);
    worker = made;
    made.send({ type: 'palette', palette: host.palette() });
    return made;
  }

  return {
    /** Ends what runs and forgets all. */
    reset(): void {
      worker?.stop();
      worker = undefined;
      recorded = '';
      runners = [];
      traced.clear();
    },
    /** The device behind the difference of two timelines; undefined if no single one is, or while it is looked for. */
    behind(id: number, baseline: number): BehindDevice | undefined {
      const key = `${id} ${baseline}`;
      if (!traced.has(key)) {
        traced.set(key, undefined);
        worker?.send({ type: 'difference', id, baseline });
      }
      return traced.get(key);
    },
    /** Adds a timeline; its number is returned. `kept`: it will be drawn. `known`: the order of a searched plan. */
    add(entry: RaceEntry, note: string, kept: boolean, known?: GivenOrder): number {
      const { name, plan, options, problem, adoptable, index, changed, order } = entry;
      const id = next;
      next += 1;
      const runs = plan !== undefined && options !== undefined;
      runners = [
        ...runners,
        {
          id,
          name,
          note,
          ...(adoptable ? { adopt: index } : {}),
          ...(changed === undefined ? {} : { changed }),
          ...(runs ? {} : { result: { reason: problem ?? 'It has no plan.' } }),
        },
      ];
      if (runs) enter(id, plan, kept, known ?? (order === undefined ? undefined : givenOf(order)));
      host.changed();
      return id;
    },
    /** Adds a plan and a run of it; their numbers are returned, and `host.ran` answers. */
    addRun(
      plan: PipelinePlan,
      order: GivenOrder | undefined,
      run: { readonly text: string; readonly replica: number },
    ): { readonly upper: number; readonly lower: number } {
      const ids = { upper: next, lower: next + 1 };
      next += 2;
      const to = started();
      if (run.text !== recorded) to.send({ type: 'recorded', text: run.text });
      recorded = run.text;
      to.send({
        ...{ type: 'enterRun', ...ids, plan, replica: run.replica },
        ...(order === undefined ? {} : { order }),
      });
      return ids;
    },
    /** Takes a timeline out. */
    leave(id: number): void {
      runners = runners.filter((runner) => runner.id !== id);
      worker?.send({ type: 'leave', ids: [id] });
    },
    /** `host.paired` answers. */
    pair(upper: number, lower: number, rows: readonly RowPair[]): void {
      worker?.send({ type: 'pair', upper, lower, rows });
    },
    draw(strips: readonly StripRequest[]): void {
      if (strips.length > 0) worker?.send({ type: 'strips', strips });
    },
    recolour(): void {
      worker?.send({ type: 'palette', palette: host.palette() });
    },
    runners: () => runners,
  };

  function enter(id: number, plan: PipelinePlan, kept: boolean, order: GivenOrder | undefined): void {
    started().send({ type: 'enter', id, plan, kept, ...(order === undefined ? {} : { order }) });
  }
}
