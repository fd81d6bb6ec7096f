import { count } from '../../engine/basics/quantities.ts';
import { rowPairs } from '../picture/rowPairs.ts';
import type { besidePairs } from './besidePairs.ts';
import { type besideRun, ranksWords, readingWords } from './besideRun.ts';
import { type Compared, deviceNames, type Other, type OwnTimeline } from './compared.ts';

const noRun = { text: '', pipelines: [], steps: 0, left: 0, remarks: [] };

/** Compares the plan on show with one of the pipelines of a recorded run. */
export function comparedRun(
  { own, other, replica }: { readonly own: OwnTimeline; readonly other: Other; readonly replica: number },
  run: ReturnType<typeof besideRun>,
  pairs: ReturnType<typeof besidePairs>,
): Compared {
  const { run: text, reading, title, problem } = other;
  const sides = run.sides(own, title, text ?? noRun, replica);
  const { plan, figures, ids, longest, sentence, behind } = sides;
  const names = deviceNames(plan);
  const rows = rowPairs(names, ids.lower === undefined ? [] : names);
  pairs.pairUp(ids.upper ?? -1, ids.lower ?? -1, rows.rows);
  const paired = pairs.pair();
  const pair = paired === undefined || figures === undefined ? undefined : pairs.outlined(paired, figures);
  const iteration = figures?.planned ?? 0;
  const why = text === undefined ? (reading === undefined ? problem : readingWords(reading)) : sides.lower.problem;
  const left = text === undefined || text.left === 0 ? [] : [leftWords(text.left)];
  return {
    state: {
      of: { upper: sides.upper, lower: { ...sides.lower, ...(why === undefined ? {} : { problem: why }) } },
      ...{ ids, rows, longest, iteration, sentence, behind },
      ...(pair === undefined ? {} : { pair }),
      drifted: pair === undefined ? [] : pairs.drifts(pair, 0),
      tolerance: 0,
      run: {
        replicas: (text?.pipelines ?? []).map(ranksWords),
        replica,
        ...(figures === undefined
          ? {}
          : { panel: { figures, devices: names, remarks: [...left, ...(text?.remarks ?? [])] } }),
      },
    },
    ...(plan === undefined || figures === undefined
      ? {}
      : {
          words: {
            names: { upper: own.name, lower: title },
            plans: { upper: plan, lower: plan },
            tolerance: 0,
            iteration,
          },
        }),
  };
}

const leftWords = (left: number): string =>
  `${count(left, 'step is', 'steps are')} left out: the newest that fit are used. The command line uses all.`;
