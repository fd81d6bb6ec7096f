import type { ParamPlan, PipelinePlan } from '../../engine/values/plan.ts';
import type { ToPage } from '../protocol/messages.ts';

export type PlanMessage = Extract<ToPage, { type: 'plan' }>;
/** A schedule that is shown without a pipeline. */
export type ShownSchedule = NonNullable<PlanMessage['schedules']>[number];

/** The parts of a file by name. `message`: its newest plan. `chosen`: the name that the reader has chosen, if it is still there. */
export function fileNames(message: () => PlanMessage | undefined, chosen: () => string | undefined) {
  /** Pipelines, then schedules that are shown without one; some of these may have no plan. */
  function names(): readonly string[] {
    const { plan, schedules: shown } = message() ?? {};
    const all = plan?.pipelines.map(({ name }) => name) ?? [];
    const schedules = shown?.map(({ name }) => name) ?? [];
    return [...all.filter((name) => !schedules.includes(name)), ...schedules];
  }
  const shownName = (): string | undefined => names().find((name) => name === chosen()) ?? names()[0];
  /** The schedule on show, if it is shown without a pipeline. */
  const schedule = (): ShownSchedule | undefined => {
    const name = shownName();
    return message()?.schedules?.find((candidate) => candidate.name === name);
  };
  return {
    names,
    shownName,
    schedule,
    pipeline: (): PipelinePlan | undefined => {
      const name = shownName();
      return message()?.plan.pipelines.find((candidate) => candidate.name === name);
    },
    /** Pipelines that can be compared with the one on show: schedules without a pipeline have other units. */
    comparable: (): readonly PipelinePlan[] =>
      (message()?.plan.pipelines ?? []).filter(
        ({ name }) => (message()?.schedules ?? []).some((other) => other.name === name) === (schedule() !== undefined),
      ),
    /** Whether a plan has the shape that is asked for of the schedule on show. */
    isShape({ name, devices, microbatches }: PipelinePlan): boolean {
      const numberOf = (axis: string): number | undefined =>
        message()?.plan.params.find((param) => param.name === `${name}.${axis}`)?.value;
      return devices.length === numberOf('devices') && microbatches === numberOf('microbatches');
    },
    /** Params of the file, and arguments of the schedule of the pipeline on show. */
    params: (): readonly ParamPlan[] => {
      const shown = shownName();
      const used = schedule()?.params;
      return (message()?.plan.params ?? []).filter(({ name, argument }) =>
        argument === undefined ? used === undefined || used.includes(name) : argument.pipeline === shown,
      );
    },
  };
}
