/** Rows of a search that are kept on disk while it runs. */
import { resolve } from 'node:path';
import { type Asked, asWritten } from '../../engine/sweep/answer.ts';
import type { SweepBase } from '../../engine/sweep/base.ts';
import { printable } from '../../server/text/printable.ts';
import type { Arguments } from '../arguments.ts';
import type { Io } from '../io.ts';
import { openPartRows, type PartRows } from './rowsFolder.ts';
import type { RowsHead } from './rowsHead.ts';

/** The folder of rows that the call names; undefined if it names none. */
export async function keptRows(
  base: SweepBase,
  asked: Asked & Pick<RowsHead, 'source'>,
  args: Arguments,
  io: Io,
): Promise<PartRows | { readonly refused: string } | undefined> {
  const folder = args.value('rows');
  if (folder === undefined)
    return args.has('resume')
      ? { refused: '--resume goes on with the rows of a folder: name it with --rows.' }
      : undefined;
  const { file, source, axes, leftOut, minimise, limits, shard = { index: 1, of: 1 } } = asked;
  const written = asWritten(base);
  const head: RowsHead = {
    rows_file: 1,
    file,
    source,
    pipeline: base.pipeline,
    devices: base.devices,
    batch: base.batch,
    ...(base.asked === undefined ? {} : { batch_asked: base.asked }),
    search: axes,
    ...(leftOut === undefined ? {} : { left_out: leftOut }),
    minimise,
    limits,
    margin: base.margin,
    shard,
    ...(written === undefined ? {} : { written }),
  };
  const say = (what: string): void => void io.err(`pipewright plan: ${printable(what)}\n`);
  const rows = await openPartRows({ folder: resolve(io.cwd, folder), head, resumes: args.has('resume'), say });
  return 'problem' in rows ? { refused: rows.problem } : rows;
}
