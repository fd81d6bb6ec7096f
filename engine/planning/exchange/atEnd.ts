/** Gradients that a named collective exchanges all at once, after the last operation. */
import { callSeconds } from '../../callCost.ts';
import { shardsState } from '../../costs/optimizer.ts';
import type { FactorShape } from '../../definitions/collective.ts';
import type { LaneCall } from '../../exchangePlan.ts';
import { type GradientExchange, type Moved, stillness } from '../cost/gradientExchange.ts';
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
): GradientExchange | undefined {
  if (request.groups[0].length === 1) return { gradients: () => stillness, weights: () => stillness };
  const call = laneCall(notes, request);
  if (call === undefined) return undefined;
  const inParts = shardsState(request.optimizer?.shard ?? 'none');
  const halves = inParts ? call.halves : undefined;
  const { gradient } = request.per;
  // One call carries all: of a layer in factors, only what its bytes take is different.
  let [less, saved] = [0, 0];
  if (halves === undefined && request.exchange.collective?.factors === true)
    for (const { matrix, parameters } of factored) {
      const apart = laneCall(notes, request, matrix);
      if (apart === undefined) return undefined;
      less += parameters;
      saved += wholeSeconds(apart, parameters * gradient) - wholeSeconds(apart, 0);
    }
  return {
    gradients: (parameters) =>
      moved(
        halves === undefined
          ? wholeSeconds(call, (parameters - less) * gradient) + saved
          : callSeconds(halves.scatter, parameters * gradient),
        parameters,
      ),
    weights: (parameters) =>
      halves === undefined ? stillness : moved(callSeconds(halves.gather, parameters * gradient), parameters),
  };
}

/** What a device sends depends on the collective, so no bytes are reported. */
const moved = (seconds: number, parameters: number): Moved => (parameters === 0 ? stillness : { seconds, bytes: 0 });

const wholeSeconds = ({ push, pull }: LaneCall, bytes: number): number =>
  callSeconds(push, bytes) + (pull === undefined ? 0 : callSeconds(pull, bytes));
