/** Lanes whose calls share links: each alone while no two of them send at once, otherwise event by event. */
import type { Buckets, Sent } from '../../values/exchangeTimeline.ts';
import type { CallLinks, CallPass, LaneCall } from '../../values/exchangePlan.ts';
import { bucketsIn, type LaneProblem, type LaneRun, laneRun, runLane, sendingOf } from '../exchange/lane.ts';
import { gathersOf } from '../exchange/returns.ts';
import { allThere } from '../exchange/sent.ts';
import { callNetwork, type CallNetwork } from './callNetwork.ts';
import { connectedBy } from './connected.ts';
import { type PassesOf, type SharedColumns, sendStepwise, type StepwiseSender } from './stepwise.ts';
import { type Participant, runTogether } from './together.ts';

/** `links`: bytes per second of what lanes share; absent where each is alone. */
export function runLanes(problems: readonly LaneProblem[], links: Float64Array | undefined): readonly LaneRun[] {
  const alone = problems.map(runLane);
  if (links === undefined) return alone;
  const runs = [...alone];
  const passes = problems.map(({ calls }) => calls.flatMap((call) => passesIn(call.links)));
  for (const lanes of connectedBy(passes)) {
    if (!sendAtOnce(lanes.map((lane) => alone[lane]))) continue;
    const found = jointRuns(
      lanes.map((lane) => problems[lane]),
      callNetwork(
        links,
        lanes.flatMap((lane) => passes[lane]),
      ),
    );
    if (found.every(({ sent, back }) => sent.shared === undefined && back?.shared === undefined)) continue;
    lanes.forEach((lane, index) => {
      runs[lane] = found[index];
    });
  }
  return runs;
}

const passesIn = (links: CallLinks | undefined): readonly CallPass[] =>
  links === undefined ? [] : [links.push, links.pull, links.scatter, links.gather].flatMap((each) => each ?? []);

/** Whether calls of different lanes are in flight at the same moment. */
function sendAtOnce(runs: readonly LaneRun[]): boolean {
  const rows = runs.flatMap(({ sent, back }, lane) =>
    (back === undefined ? [sent] : [sent, back]).flatMap(({ length, start, end }) =>
      Array.from({ length }, (_, row) => ({ lane, start: start[row], end: end[row] })),
    ),
  );
  rows.sort((a, b) => a.start - b.start);
  const until = new Float64Array(runs.length).fill(-Infinity);
  return rows.some(({ lane, start, end }) => {
    if (end > start) until[lane] = Math.max(until[lane], end);
    return end > start && until.some((other, index) => index !== lane && other > start);
  });
}

/** Event by event. */
export function jointRuns(problems: readonly LaneProblem[], network: CallNetwork): readonly LaneRun[] {
  const buckets = problems.map(bucketsIn);
  const senders = problems.map((problem, lane) => laneSender(problem, buckets[lane], network));
  runTogether(senders, network);
  return problems.map((problem, lane) => laneRun(problem, buckets[lane], senders[lane].legs()));
}

type LaneSender = Participant & { legs(): Pick<LaneRun, 'sent' | 'back'> };

function laneSender(problem: LaneProblem, buckets: Buckets, network: CallNetwork): LaneSender {
  const sending = sendingOf(problem, buckets);
  const isApart = problem.rule.halves === 'apart';
  const passesOf: PassesOf = (direction, call) => passesFor(problem.calls[call], direction, isApart);
  const sender = sendStepwise(sending, passesOf, network);
  const { back } = sending;
  if (back?.kind !== 'gathers')
    return {
      ...sender,
      legs: () => ({ sent: legOf(sender.sent), ...(back === undefined ? {} : { back: legOf(sender.back) }) }),
    };
  let gathers: StepwiseSender | undefined;
  return {
    next: () => (gathers ?? sender).next(),
    step(now) {
      sender.step(now);
      if (gathers === undefined && sender.isDone()) {
        const items = gathersOf(
          sending.items,
          back.costs,
          buckets.front,
          allThere(sender.sent, sending.items.call, back.delays),
        );
        const { handing, moment } = sending;
        const gatherPasses: PassesOf = (_, call) => passesOf('back', call);
        gathers = sendStepwise({ items, handing, moment, isCut: false }, gatherPasses, network);
      }
      gathers?.step(now);
    },
    ended(flight) {
      sender.ended(flight);
      gathers?.ended(flight);
    },
    legs: () => ({ sent: legOf(sender.sent), ...(gathers === undefined ? {} : { back: legOf(gathers.sent) }) }),
  };
}

function passesFor(
  { links }: Pick<LaneCall, 'links'>,
  direction: 'out' | 'back',
  isApart: boolean,
): readonly CallPass[] {
  if (links === undefined) return [];
  if (direction === 'out') return (isApart ? links.scatter : undefined) ?? links.push;
  return (isApart ? links.gather : undefined) ?? links.pull ?? [];
}

const legOf = (columns: SharedColumns): Sent =>
  columns.slowed.some((seconds) => seconds > 0)
    ? Object.assign(columns, { shared: Float64Array.from(columns.slowed) })
    : columns;
