/** Reads recorded traces as the command line does, in chunks. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { assemble } from '../../../engine/formats/kineto/assemble.ts';
import type { RankTrace } from '../../../engine/formats/kineto/rankTrace.ts';
import { type TraceFault, traceReader } from '../../../engine/formats/kineto/read.ts';
import { B, F, I, W } from '../../../engine/values/program.ts';
import type { RecordedRow, Recording } from '../../../engine/values/recording.ts';

export const folder = path.join(import.meta.dirname, 'recorded');

export const textOf = (file: string): string => gunzipSync(readFileSync(path.join(folder, file))).toString('utf8');

export function readTrace(file: string, text: string, chunk = 7001): RankTrace | TraceFault {
  const reader = traceReader(file);
  const bytes = new Uint8Array(Buffer.from(text));
  for (let at = 0; at < bytes.length; at += chunk) {
    const fault = reader.push(bytes.subarray(at, at + chunk));
    if (fault !== undefined) return fault;
  }
  const read = reader.end();
  return 'message' in read ? read : read[0];
}

export const filesOf = (name: string): readonly string[] =>
  readdirSync(folder)
    .filter((file) => file.startsWith(`${name}.rank`))
    .toSorted();

export function traceOf(file: string, text = textOf(file)): RankTrace {
  const trace = readTrace(file, text);
  if ('message' in trace) throw new Error(trace.message);
  return trace;
}

export function recordingOf(name: string): Recording {
  const assembled = assemble(filesOf(name).map((file) => traceOf(file)));
  if ('faults' in assembled) throw new Error(assembled.faults[0].message);
  return assembled.recordings[0];
}

export const letters: Readonly<Record<number, string>> = { [F]: 'F', [B]: 'B', [I]: 'I', [W]: 'W' };

export const orderOf = ({ kind, stage, microbatch }: RecordedRow): string =>
  [...kind].map((letter, at) => `${stage[at]}${letters[letter]}${microbatch[at]}`).join(' ');
