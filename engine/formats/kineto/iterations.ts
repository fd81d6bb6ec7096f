/** What a trace without labels still tells: how long whole iterations took. */
import { countBelow } from '../../basics/column.ts';
import type { LoggedStep } from '../../values/recording.ts';
import type { RankTrace } from './rankTrace.ts';

/**
 * Steps of the profiler, each from its start to the start of the next. The last one has no next: the host may end it long before the
 * device does. Empty if no two steps follow each other.
 */
export const iterationsIn = ({ steps, optimizer }: Pick<RankTrace, 'steps' | 'optimizer'>): readonly LoggedStep[] =>
  steps.flatMap(({ number, from }, at): LoggedStep[] => {
    const next = steps[at + 1];
    if (next?.number !== number + 1) return [];
    let own = 0;
    for (let call = countBelow(optimizer.from, from); call < countBelow(optimizer.from, next.from); call += 1)
      own += optimizer.to[call] - optimizer.from[call];
    const spans = own > 0 ? [{ name: 'optimizer', seconds: own / 1e6 }] : [];
    return [{ number, seconds: (next.from - from) / 1e6, spans }];
  });
