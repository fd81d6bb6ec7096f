/** What planning asks of the network: routes, collectives, messages between meshes, places on a graph of links. */
export { alikeTransfers, type Paired } from './alikeTransfers.ts';
export { allToAllRing, type NodeLimit } from './collectives/allToAll.ts';
export { callLimit } from './collectives/callLimit.ts';
export { callTraffic, ringTraffic, type CallTraffic, type LinkPass } from './collectives/callTraffic.ts';
export { costOf } from './collectives/costOf.ts';
export { levelRing, levelsOf } from './collectives/levels.ts';
export { hasSharedLinks, sharedLinkOf } from './collectives/linkFlows.ts';
export { ringsAtOnce, type UnreachableRank } from './collectives/rings.ts';
export { createFlows, routerOf, type Router, type Unreachable } from './flows.ts';
export { sequenceParts } from './layouts.ts';
export { placementSearch } from './placement/placementSearch.ts';
export {
  placementCost,
  type HopCost,
  type Placement,
  type PlacementProblem,
  type Placements,
  type RankPair,
} from './placement/problem.ts';
export { exchangesFor, fastestOf, reshards, secondsOf, transfersIn, type Exchange } from './reshard.ts';
export { routeBetween, type RouteHop } from './routes/routeBetween.ts';
export { sharedLinks } from './sharedLinks.ts';
