/** The answer of a search in the format that the call asks for. */
import type { PlanAnswer } from '../../engine/sweep/answer.ts';
import { planCsv, planJson } from '../../server/searches/planData.ts';
import type { Arguments } from '../arguments.ts';
import { coloursFor } from '../colours.ts';
import type { Io } from '../io.ts';
import { planText } from '../output/planText.ts';
import { giveSummary } from '../summary/giveSummary.ts';
import { planSummary } from '../summary/planSummary.ts';
import { status, type Status } from '../status.ts';
import { writeResult } from '../writeResult.ts';

interface Shown {
  /** What no row changes; empty or absent for nothing, or if it is not known. */
  readonly staying?: string;
  /** The file with the values of the best row, for a call without a file. */
  readonly text?: string;
  /** `--output` has got something else. */
  readonly toScreen?: boolean;
}

export async function showAnswer(
  answer: PlanAnswer,
  args: Arguments,
  io: Io,
  { staying = '', text: made, toScreen = false }: Shown = {},
): Promise<Status> {
  if (args.has('summary')) {
    await giveSummary(planSummary(answer, staying, made), args, io);
    return statusOf(answer);
  }
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
              staying,
              details: args.has('details'),
              ...(io.outIsTerminal ? { tableColumns: Math.max(60, io.columns) } : {}),
            },
            coloursFor(io),
          );
  const written = toScreen ? (await io.out(text), status.fine) : await writeResult(io, 'plan', args, [text]);
  return written === status.fine ? statusOf(answer) : written;
}

const statusOf = ({ best, shard }: PlanAnswer): Status =>
  best !== undefined || shard !== undefined ? status.fine : status.findings;
