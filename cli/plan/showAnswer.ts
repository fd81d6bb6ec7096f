/** The answer of a search in the format that the call asks for. */
import type { PlanAnswer } from '../../engine/sweep/answer.ts';
import { planCsv, planJson } from '../../server/searches/planData.ts';
import type { Arguments } from '../arguments.ts';
import { coloursFor } from '../colours.ts';
import type { Io } from '../io.ts';
import { planText } from '../output/planText.ts';
import { status, type Status } from '../status.ts';
import { writeResult } from '../writeResult.ts';

/** `toScreen`: `--output` has got something else. */
export async function showAnswer(answer: PlanAnswer, args: Arguments, io: Io, toScreen = false): Promise<Status> {
  const format = args.value('format') ?? 'text';
  const text =
    format === 'json'
      ? planJson(answer)
      : format === 'csv'
        ? planCsv(answer)
        : planText(
            answer,
            {
              columns: Math.max(60, io.columns),
              isMerged: args.has('merge'),
              ...(io.outIsTerminal ? { tableColumns: Math.max(60, io.columns) } : {}),
            },
            coloursFor(io),
          );
  const written = toScreen ? (await io.out(text), status.fine) : await writeResult(io, 'plan', args, [text]);
  return written !== status.fine || answer.best !== undefined || answer.shard !== undefined ? written : status.findings;
}
