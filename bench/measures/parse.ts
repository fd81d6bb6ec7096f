import { defaultOptions } from '../../engine/basics/host.ts';
import { resolve } from '../../engine/flow/resolve.ts';
import { parse } from '../../grammar/index.ts';
import { measure } from '../measure.ts';
import { ms, type Table } from '../rows.ts';
import { noFiles, uri } from '../workloads/analysis.ts';
import { longFile } from '../workloads/files.ts';

const goals: readonly (readonly [lines: number, goal: number])[] = [
  [100, 0.5],
  [1_000, 5],
  [10_000, 50],
];

/** Text → plan with all names resolved; the pipeline in it is not simulated. */
export function parseTable(): Table {
  const rows = goals.map(([lines, goal]) => {
    const text = longFile(lines, { devices: 4, microbatches: 8, schedule: '1f1b' });
    const parsing = measure(() => parse(text));
    const syntax = parse(text);
    // The longest way: all declarations but the first move.
    const longer = text.replace('forward = ', 'forward = 1');
    const edited = measure(() => parse(longer, {}, syntax));
    const planning = measure(() => resolve({ uri, syntax, host: noFiles, options: defaultOptions }));
    const best = parsing.best + planning.best;
    return {
      cells: [
        lines.toLocaleString('en-US'),
        ms(parsing.first + planning.first),
        ms(parsing.best),
        ms(edited.best),
        ms(planning.best),
        ms(best),
      ],
      goal: { text: `≤ ${goal} ms`, met: best <= goal },
    };
  });
  return { title: 'Parse + resolve', head: ['lines', 'first call', 'parse', 'an edit', 'resolve', 'both'], rows };
}
