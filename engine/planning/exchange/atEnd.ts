/** Gradients that a named collective exchanges all at once, after the last operation. */
import { callOverhead, callSeconds, withFixed } from '../../basics/callCost.ts';
import { shardsState } from '../../costs/optimizer.ts';
import type { FactorShape } from '../../definitions/collective.ts';
import type { CallLinks, LaneCall } from '../../values/exchangePlan.ts';
import { type GradientExchange, type Moved, overLinks, stillness } from '../cost/gradientExchange.ts';
import type { Notes } from '../notes.ts';
import type { Holders } from './holders.ts';
import { type CallRequest, laneCall } from './laneCall.ts';

/** A layer whose matrix servers take as factors, and its parameters on one device. */
export interface FactoredLayer {
  readonly matrix: FactorShape;
  readonly parameters: number;
}

/** The layers of these ranks that are fully connected. */
export const factoredIn = (
  held: Holders['held'],
  matrices: readonly (readonly (FactorShape | undefined)[])[],
): readonly FactoredLayer[] =>
  held.flatMap(({ layers, on }) => {
    const [stage] = on.values();
    return layers.flatMap(({ localParameters }, index) => {
      const matrix = matrices[stage]?.[index];
      return matrix === undefined ? [] : [{ matrix, parameters: localParameters }];
    });
  });

/** `undefined` where the collective does not fit, or devices have no route (reported). */
export function exchangeAtEnd(
  notes: Notes,
  request: CallRequest,
  factored: readonly FactoredLayer[],
  links?: CallLinks,
): GradientExchange | undefined {
  if (request.groups[0].length === 1) return { gradients: () => stillness, weights: () => stillness };
  const found = laneCall(notes, request);
  if (found === undefined) return undefined;
  const call = alone(found);
  const inParts = shardsState(request.optimizer?.shard ?? 'none');
  const halves = inParts ? call.halves : undefined;
  const { gradient, weight } = request.per;
  // One call carries all: of a layer in factors, only what its bytes take is different.
  let [less, saved, sentLess] = [0, 0, 0];
  if (halves === undefined && request.exchange.collective?.factors === true)
    for (const { matrix, parameters } of factored) {
      const of = laneCall(notes, request, matrix);
      if (of === undefined) return undefined;
      const apart = alone(of);
      less += parameters;
      saved += wholeSeconds(apart, parameters * gradient) - wholeSeconds(apart, 0);
      sentLess += parameters * gradient * (sentPerByte(call) - sentPerByte(apart));
    }
  return {
    gradients: (parameters) =>
      parameters === 0
        ? stillness
        : halves === undefined
          ? pushedAndPulled(call, links, {
              bytes: (parameters - less) * gradient,
              moved: {
                seconds: wholeSeconds(call, (parameters - less) * gradient) + saved,
                bytes: parameters * gradient * sentPerByte(call) - sentLess,
              },
            })
          : overLinks(
              {
                seconds: callSeconds(halves.scatter, parameters * gradient),
                bytes: (parameters * gradient * sentPerByte(call)) / 2,
              },
              callOverhead(halves.scatter, parameters * gradient),
              links?.scatter,
            ),
    weights: (parameters) =>
      halves === undefined || parameters === 0
        ? stillness
        : overLinks(
            {
              seconds: callSeconds(halves.gather, parameters * gradient),
              bytes: (parameters * weight * sentPerByte(call)) / 2,
            },
            callOverhead(halves.gather, parameters * gradient),
            links?.gather,
          ),
  };
}

/** One call that no other follows: the lane is over when everything is there. */
function alone({ push, pull, halves, delay = 0, ...call }: LaneCall): LaneCall {
  return {
    ...{ ...call, push: withFixed(push, delay) },
    ...(pull === undefined ? {} : { pull: withFixed(pull, delay) }),
    ...(halves === undefined
      ? {}
      : { halves: { scatter: withFixed(halves.scatter, delay), gather: withFixed(halves.gather, delay) } }),
  };
}

/** Both halves: each sends as many bytes of what it moves. */
const sentPerByte = ({ sends = 0 }: LaneCall): number => sends;

/** Pulls follow pushes. `bytes`: without layers that go as factors. */
function pushedAndPulled(
  { push, pull }: LaneCall,
  links: CallLinks | undefined,
  { bytes, moved }: { readonly bytes: number; readonly moved: Moved },
): Moved {
  if (links === undefined) return moved;
  const back = pull === undefined ? 0 : callSeconds(pull, bytes);
  const out = overLinks({ seconds: moved.seconds - back, bytes: 0 }, callOverhead(push, bytes), links.push);
  if (pull === undefined) return { ...moved, ...out, bytes: moved.bytes };
  const pulled = overLinks({ seconds: back, bytes: 0 }, callOverhead(pull, bytes), links.pull);
  return { ...moved, calls: [...(out.calls ?? []), ...(pulled.calls ?? [])] };
}

const wholeSeconds = ({ push, pull }: LaneCall, bytes: number): number =>
  callSeconds(push, bytes) + (pull === undefined ? 0 : callSeconds(pull, bytes));
