/** What planning asks of the network: routes, collectives, messages between meshes, places on a graph of links. */
export { alikeTransfers, type Paired } from './alikeTransfers.ts';
export { allToAllRing, allToAllSteps, type NodeLimit } from './collectives/allToAll.ts';
export { callLimit } from './collectives/callLimit.ts';
export { callTraffic, type CallTraffic, type LinkPass } from './collectives/callTraffic.ts';
export { costOf } from './collectives/costOf.ts';
export { hasSharedLinks, sharedLinkOf } from './collectives/linkFlows.ts';
export { ringCall } from './collectives/ring.ts';
export { ringsAtOnce, type UnreachableRank } from './collectives/rings.ts';
export { usualRing } from './collectives/usual.ts';
export { createFlows, routerOf, type Router, type Unreachable } from './flows.ts';
export { sequenceParts } from './layouts.ts';
export { LinkUses } from './linkUses.ts';
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
export { alikeNodes } from './routes/routesOf.ts';
export { routeBetween, type RouteHop } from './routes/routeBetween.ts';
export { linkLoad, linksInCommon, sharedLinks, type LinkLoad, type Reduction, type SharedLink } from './sharedLinks.ts';
