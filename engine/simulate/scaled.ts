import type { Program } from '../values/program.ts';
import type { Timing } from '../values/timeline.ts';

/** Factors on what operations and transfers take. Default: 1. */
export interface TimeFactors {
  /** By row of the program. */
  readonly row?: (row: number) => number;
  /** By route of the plan. */
  readonly route?: (route: number) => number;
}

/** The timing with other times of operations and transfers. The step at the end and the gathering of weights stay. */
export function scaledTiming(timing: Timing, { microbatches }: Program, { row, route }: TimeFactors): Timing {
  const { single, flows, sizes, needRoute } = timing;
  const byRow = (values: Float64Array) => (row === undefined ? values : values.map((value, at) => value * row(at)));
  const byNeed = (values: Float64Array) =>
    route === undefined
      ? values
      : values.map((value, need) => (needRoute[need] < 0 ? value : value * route(needRoute[need])));
  return {
    ...timing,
    duration: byRow(timing.duration),
    ...(single === undefined
      ? {}
      : {
          single: {
            ...single,
            seconds:
              row === undefined
                ? single.seconds
                : single.seconds.map((value, at) => value * row(Math.trunc(at / microbatches))),
            layers: byRow(single.layers),
            least: byRow(single.least),
            most: byRow(single.most),
          },
        }),
    needLatency: byNeed(timing.needLatency),
    needOccupancy: byNeed(timing.needOccupancy),
    ...(sizes === undefined || route === undefined
      ? {}
      : {
          sizes: {
            occupancy: sizes.occupancy.map((value, at) => {
              const need = Math.trunc(at / microbatches);
              return needRoute[need] < 0 ? value : value * route(needRoute[need]);
            }),
            least: byNeed(sizes.least),
          },
        }),
    ...(flows === undefined || route === undefined
      ? {}
      : {
          flows: {
            ...flows,
            capacity: flows.capacity.map((value, at) => value / route(routeAt(flows.offsets, at))),
            rate: flows.rate.map((value, at) => value / route(at)),
          },
        }),
  };
}

/** The row of compressed rows that an element belongs to. */
function routeAt(offsets: Int32Array, at: number): number {
  let route = 0;
  while (offsets[route + 1] <= at) route += 1;
  return route;
}
