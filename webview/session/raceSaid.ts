import type { PipelinePlan } from '../../engine/values/plan.ts';
import { causeWords } from './raceCauses.ts';
import { raceSentence, rowSentence, workWords } from './raceWords.ts';
import type { Standings } from './standings.ts';

export interface RaceAttention {
  /** The timeline under the pointer, or with the focus. */
  readonly attended: number;
  /** The device that makes a timeline longer or shorter than the baseline. */
  behind(id: number): { readonly name: string; readonly index: number } | undefined;
  /** The plan whose schedules are compared; undefined if other things are. */
  readonly plan: PipelinePlan | undefined;
}

/** How a timeline differs from the baseline and why: the one that is pointed at, otherwise the winner. `mark`: the device behind it. */
export function saidOf(of: Standings, { attended, behind, plan }: RaceAttention) {
  const { rows, baseline, winner } = of;
  const pointed = rows.find(({ runner, deltas }) => runner.id === attended && deltas !== undefined);
  const about = pointed ?? winner;
  const compared = about?.deltas === undefined || baseline?.figures === undefined ? undefined : about;
  const device = compared === undefined ? undefined : behind(compared.runner.id);
  const changes = rows.flatMap(({ runner }) => (runner.changed === undefined ? [] : `Changed: ${runner.changed}.`));
  const sentences = [
    pointed === undefined ? raceSentence(of) : rowSentence(pointed, baseline),
    compared?.figures === undefined || baseline?.figures === undefined
      ? ''
      : causeWords(compared.figures, baseline.figures, device?.name),
    ...changes,
    plan === undefined ? '' : workWords(plan),
  ];
  return {
    text: sentences.filter((text) => text !== '').join(' '),
    mark: compared === undefined || device === undefined ? undefined : { id: compared.runner.id, device: device.index },
  };
}
