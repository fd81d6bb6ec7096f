/**
 * Checks the shard against the ranks that hold the same parameters: `over` must divide them (`value/range`), and what has no
 * effect is a `key/not-applicable`.
 */
import type { Notes } from '../notes.ts';
import type { OptimizerUse } from '../../definitions/optimizer.ts';
import type { SitedRanks } from './sites.ts';
import { shardRanks, shardsWeights } from '../../costs/optimizer/shard.ts';

export function checkShard(notes: Notes, use: OptimizerUse, sited: SitedRanks): void {
  const { recipe, shard, over, at } = use;
  // Of stages with unlike meshes, or with replicas, the one with the most; `over` must divide all.
  const counts = [...new Set(sited.ranks.map(({ kind }) => kind.ranks))];
  const ranks = counts.find((count) => over !== undefined && count > 1 && count % over !== 0) ?? Math.max(...counts);
  // An engine that copies weights of one rank too keeps other bytes under a shard than without.
  const copiesAlone = sited.ranks.some(({ kind }) => kind.copiesAlone === true);
  const idle = (argument: string, reason: string) => {
    const place = at.get(argument);
    if (place !== undefined) notes.report.report('key/not-applicable', place, { key: argument, reason });
  };
  if (shard === 'none') {
    idle('over', 'nothing is split: `shard` is `none`');
    idle('reshard', 'weights are not split: `shard` is `none`');
    idle('prefetch', 'weights are not split: `shard` is `none`');
    idle('gradient_sync', 'gradients are exchanged once an iteration: `shard` is `none`');
    return;
  }
  if (ranks === 1) {
    if (!copiesAlone) idle('shard', 'there is one data rank to split over');
    return;
  }
  const place = at.get('over');
  if (over !== undefined && place !== undefined && ranks % over !== 0)
    notes.report.report('value/range', place, {
      what: '"over"',
      value: String(over),
      allowed: `a divisor of the ${ranks} ranks that hold the same weights, such as ${nearestDivisors(ranks, over).join(' or ')}`,
    });
  else if (over === 1 && !copiesAlone) idle('shard', 'a shard group is one rank: `over` is 1');
  else if (splitsNothing(use))
    idle('shard', `\`${recipe.name}\` keeps no state to split; \`zero2\` splits its gradients`);
  if (shardsWeights(shard)) checkParts(notes, use, ranks);
  else {
    idle('reshard', `\`${shard}\` does not split weights`);
    idle('prefetch', `\`${shard}\` does not split weights`);
    idle('gradient_sync', `\`${shard}\` does not split weights`);
  }
  if (shardsWeights(shard) && !use.reshard) {
    idle('prefetch', 'weights are gathered once an iteration under `reshard = false`');
    idle('gradient_sync', 'gradients stay whole up to the last backward under `reshard = false`');
  }
}

/** Weights stay on neighbours of one shard group. */
function checkParts(notes: Notes, { reshardTo, over, at }: OptimizerUse, ranks: number): void {
  const place = at.get('reshard');
  const group = shardRanks(ranks, over);
  if (reshardTo === undefined || place === undefined || group % reshardTo === 0) return;
  notes.report.report('value/range', place, {
    what: '"reshard"',
    value: String(reshardTo),
    allowed: `\`true\`, \`false\` or a divisor of the ${group} ranks of a shard group, such as ${nearestDivisors(group, reshardTo).join(' or ')}`,
  });
}

/** The greatest divisor up to `over` and the least one above it. */
function nearestDivisors(ranks: number, over: number): readonly number[] {
  let [below, above] = [Math.min(over, ranks), over + 1];
  while (ranks % below !== 0) below -= 1;
  while (above < ranks && ranks % above !== 0) above += 1;
  return above > ranks ? [below] : [below, above];
}

const splitsNothing = ({ recipe, shard }: OptimizerUse): boolean => {
  const request = { local: 1, experts: 0, ranks: 2, expertRanks: 2, precision: 'bf16', shard } as const;
  const { weights, gradients, optimizer } = recipe.bytes(request);
  const whole = recipe.bytes({ ...request, shard: 'none' });
  return weights === whole.weights && gradients === whole.gradients && optimizer === whole.optimizer;
};
