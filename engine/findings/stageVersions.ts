/** Words for the versions of weights that stages keep. */
import { count, list } from '../basics/quantities.ts';

export interface StageVersions {
  readonly name: string;
  readonly versions: number;
  readonly staleness: number;
}

/** Groups consecutive stages with the same figures. */
export function alike(stages: readonly StageVersions[]): readonly (readonly StageVersions[])[] {
  const groups: StageVersions[][] = [];
  for (const stage of stages) {
    const last = groups.at(-1);
    if (last?.[0].versions === stage.versions && last[0].staleness === stage.staleness) last.push(stage);
    else groups.push([stage]);
  }
  return groups;
}

/** `s0 and s1 keep 1 version and are 1 update late`. */
export function versionsKept(stages: readonly StageVersions[]): string {
  const [{ versions, staleness }] = stages;
  const alone = stages.length === 1;
  const late = staleness === 0 ? 'not late' : `${count(staleness, 'update', 'updates')} late`;
  return `${list(stages.map(({ name }) => name))} ${alone ? 'keeps' : 'keep'} ${count(versions, 'version', 'versions')} and ${alone ? 'is' : 'are'} ${late}`;
}
