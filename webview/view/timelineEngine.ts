import type { EngineOptions } from '../../engine/basics/host.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import type { GivenOrder } from '../../engine/policies/searched/given.ts';
import { engineWorker } from '../session/engineWorker.ts';
import { questions } from '../session/questions.ts';
import type { ShownTimeline } from '../session/shownTimeline.ts';
import { simulations } from '../session/simulations.ts';
import type { MemoryBands } from '../picture/memoryBands.ts';
import type { DrawnImage, FromWorker, WorkedJob } from '../worker/messages.ts';
import type { PresenterHost } from './presenterHost.ts';

export interface Arrivals {
  /** Blocks are drawn. */
  arrive(images: readonly DrawnImage[], generation: number, bands: MemoryBands | undefined): void;
  /** A timeline is simulated. */
  pictured(arrived: ShownTimeline): void;
}

interface Parts extends Arrivals {
  readonly runs: ReturnType<typeof simulations>;
  readonly asked: ReturnType<typeof questions>;
}

/** The worker, and which of the timelines that it was asked for is the newest. */
export function timelineEngine(host: PresenterHost, arrivals: Arrivals) {
  const runs = simulations();
  const asked = questions((message) => engine.send(message));
  const engine = engineWorker(reading(host, { runs, asked, ...arrivals }), host.failed);
  return {
    draw: engine.draw,
    /** `order`: of a plan whose order is searched, if it is known. */
    run(plan: PipelinePlan, options: EngineOptions, jobs: readonly WorkedJob[], order?: GivenOrder): void {
      const given = order === undefined ? {} : { order };
      engine.send({ type: 'run', generation: runs.start(plan), plan, options, jobs, ...given });
    },
    /** Colours of the blocks of a timeline. */
    recolour: (of: ShownTimeline | undefined): void =>
      engine.send({ type: 'palette', palette: host.palette(of?.chunk ?? new Uint8Array(0)) }),
    /** `lanes` answers. */
    askLanes: (job: string): void => engine.send({ type: 'lanes', job }),
    /** Asks about the timeline on show. */
    ask: asked.ask,
    dropQuestion: asked.drop,
    /** Nothing newer was asked for, and nothing has gone wrong since. */
    isCurrent: runs.isCurrent,
    /** What is being simulated is no longer the newest. */
    trouble: runs.trouble,
    leave: runs.leave,
  };
}

/** Hands on what the worker says. What it says of a pipeline that is no longer the newest is dropped. */
const reading =
  (host: PresenterHost, { runs, asked, arrive, pictured }: Parts) =>
  (message: FromWorker): void => {
    switch (message.type) {
      case 'frame':
        host.drew(message.milliseconds);
        return arrive(message.images, message.generation, message.bands);
      case 'failed':
        return host.failed(message.reason);
      case 'answer':
        return asked.answered(message.id, message.answer);
      case 'picture': {
        const arrived = runs.arrived(message.picture);
        return arrived === undefined ? undefined : pictured(arrived);
      }
    }
    if (!('generation' in message) || !runs.isNewest(message.generation)) return;
    switch (message.type) {
      case 'lanes':
        return host.lanes(message.lanes);
      case 'jobs':
        return host.jobs(message.reports);
      case 'none':
        return host.impossible(message.reasons);
      case 'stalled': {
        const plan = runs.planOf(message.generation);
        if (plan !== undefined) host.stalled(message.stall, plan, message.reasons);
      }
    }
  };
