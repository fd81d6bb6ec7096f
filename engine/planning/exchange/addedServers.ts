/** Machines that take part in the exchange of gradients and hold no stage. */
import type { ExchangeUse } from '../../definitions/exchange.ts';
import { dataGroups, joinedGroups } from '../place/rankGroups.ts';
import type { SitedRanks } from '../place/sites.ts';
import type { Holders } from './holders.ts';
import { collectiveOf } from './laneCall.ts';

/** Parameter servers, and machines without gradients that are in trees. Ranks that hold the same weights have their own. */
export function addedServers(exchange: ExchangeUse, { ranks }: SitedRanks, holders: readonly Holders[]): number {
  const use = collectiveOf(exchange);
  if (use === undefined || use.colocated === true) return 0;
  return holders.reduce((sum, { members }) => {
    const { groups } = joinedGroups(
      members.map((member) => ranks[member]),
      dataGroups,
    );
    const each = groups[0].length;
    if (each === 1) return sum;
    const usual = use.name === 'ps' || use.name === 'hybrid' ? each : 0;
    return sum + groups.length * (use.servers ?? usual);
  }, 0);
}
