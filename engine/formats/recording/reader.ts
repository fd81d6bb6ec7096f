/** What a file of a run is, from its first bytes, and a reader that takes its bytes as they arrive. */
import { asciiText } from '../kineto/bytes.ts';
import { traceReader } from '../kineto/read.ts';
import { isNsight, nsightReader } from '../nsight/read.ts';
import { isStragglerTimeline, stragglerReader } from '../stragglerAnalysis/read.ts';
import { isStructuredLog, structuredLogReader } from '../torchtitan/structuredLog.ts';
import { isSummary, readSummary } from './readSummary.ts';
import type { RunReader } from './runPart.ts';
import { textReader } from './textReader.ts';

/** Bytes that tell what a file is. */
export const headLength = 65_536;

/** Undefined: it is no file of a run. */
export function runReader(file: string, head: Uint8Array): RunReader | undefined {
  const text = asciiText(head, 0, Math.min(head.length, headLength));
  if (isSummary(text)) return textReader(file, readSummary);
  if (isNsight(text)) return nsightReader(file);
  if (isStragglerTimeline(text)) return stragglerReader(file);
  if (isStructuredLog(text)) return structuredLogReader(file);
  if (!isKineto(text)) return undefined;
  const reader = traceReader(file);
  return {
    push: (chunk) => reader.push(chunk),
    end() {
      const read = reader.end();
      if (!('message' in read)) return { traces: read };
      return read.iterations === undefined ? { fault: read } : { logged: read.iterations, unlabelled: read };
    },
  };
}

/** An object with one of the profiler's fields before its events, or a list of events. */
const isKineto = (head: string): boolean =>
  /^\W{0,8}\{[^]*"(traceEvents|schemaVersion|deviceProperties|distributedInfo|baseTimeNanoseconds)"\s*:/.test(head) ||
  /^\s*\[\s*\{[^}]*"ph"\s*:/.test(head);
