import { letters } from '../values/program.ts';
import type { RecordedRow, Recording } from '../values/recording.ts';

/** Letter of an operation's kind. */
export const kindName = ({ kind }: RecordedRow, at: number): string => letters[kind[at]];

/** Letters of the kinds that ran. */
export const kindsPresent = ({ steps }: Recording): readonly string[] => [
  ...new Set(steps[0].rows.flatMap((row) => [...row.kind.keys()].map((at) => kindName(row, at)))),
];
