/** Every search that may take long: what a thread of the server answers. */
import { betterPolicy } from '../../engine/advice/betterPolicy.ts';
import { figureSearch } from '../../engine/drawing/figureSearch.ts';
import { evaluation } from '../../engine/flow/evaluate.ts';
import { explanation } from '../../engine/flow/explanation.ts';
import { scheduleTest } from '../../engine/grid/testSearch.ts';
import { jobEvaluation } from '../../engine/job/evaluateJob.ts';
import { calibrationSearch } from '../../engine/measured/calibrationSearch.ts';
import { graphCut } from '../../engine/planning/cut/graphCut.ts';
import { memoryCutSearch } from '../../engine/planning/cut/memoryCutSearch.ts';
import { alpaSearch, hetpipeSearch, planSearch } from '../../engine/planning/cut/planners/planSearch.ts';
import { iterationSearch } from '../../engine/flow/iterationSearch.ts';
import { placementSearch } from '../../engine/network/placement/placementSearch.ts';
import { orderSearch } from '../../engine/flow/orderSearch.ts';
import { shorterOrder } from '../../engine/advice/shorterOrder.ts';
import { rowsSearch, writtenSearch } from '../../engine/sweep/rowsSearch.ts';
import { entry } from './serve.ts';

export const allSearches: readonly ReturnType<typeof entry>[] = [
  entry(evaluation),
  entry(jobEvaluation),
  entry(planSearch),
  entry(alpaSearch),
  entry(hetpipeSearch),
  entry(graphCut),
  entry(memoryCutSearch),
  entry(orderSearch),
  entry(placementSearch),
  entry(iterationSearch),
  entry(explanation),
  entry(figureSearch),
  entry(scheduleTest),
  entry(rowsSearch),
  entry(writtenSearch),
  entry(shorterOrder),
  entry(betterPolicy),
  entry(calibrationSearch),
];
