/**
 * Structured logs of torchtitan (`structured_logs/SOURCE.global_rank_N.….jsonl`, on by default): spans of a rank, a JSON object in each
 * line. They have whole steps and their parts on the host, and no operation of a pipeline.
 */
import type { LoggedSpan, LoggedStep } from '../../values/recording.ts';
import { asciiText } from '../kineto/bytes.ts';
import type { TraceFault } from '../kineto/read.ts';
import type { RunReader } from '../recording/runPart.ts';

export const isStructuredLog = (head: string): boolean => /^\s*\{[^\n]*"log_type_name"\s*:/.test(head);

/** Most bytes of a line, and steps of a file. */
const longest = 1 << 20;
const mostSteps = 1_000_000;

/** What a step also did, so that it is none of the training's: tags of torchtitan. */
const others = new Set(['gc', 'checkpoint_save', 'eval']);

interface OpenStep {
  readonly number: number;
  readonly start: number;
  seconds: number;
  readonly spans: Map<string, number>;
  readonly tags: Set<string>;
}

export function structuredLogReader(file: string): RunReader {
  const steps = new Map<number, OpenStep>();
  let rank: number | undefined;
  let rest = '';
  let line = 0;

  const fault = (message: string): TraceFault => ({ file, line, character: 0, message });

  function take(text: string): TraceFault | undefined {
    if (text.trim() === '') return undefined;
    let record: unknown;
    try {
      record = JSON.parse(text);
    } catch {
      return fault('This line is not JSON.');
    }
    if (typeof record !== 'object' || record === null) return fault('Expected an object.');
    const fields = record as Readonly<Record<string, unknown>>;
    const [own, number, name, time] = [fields['rank'], fields['step'], fields['log_type_name'], fields['time_us']];
    if (typeof own !== 'number' || !Number.isInteger(own) || own < 0) return fault('This record has no "rank".');
    if (own !== (rank ?? own)) return fault(`This record is of rank ${own}, and those before are of rank ${rank}.`);
    rank = own;
    // What comes before the first step, such as building the model.
    if (typeof number !== 'number' || typeof name !== 'string') return undefined;
    if (typeof time !== 'number' || !Number.isFinite(time)) return fault('This record has no "time_us".');
    if (name === 'step_start' && !steps.has(number)) {
      if (steps.size >= mostSteps) return fault(`The log has more than ${mostSteps} steps.`);
      steps.set(number, { number, start: time / 1e6, seconds: Number.NaN, spans: new Map(), tags: new Set() });
    }
    const step = steps.get(number);
    if (step === undefined || !name.endsWith('_end')) return undefined;
    const value = fields['value'];
    if (typeof value !== 'number' || !(value >= 0)) return fault('The end of a span has no "value", its milliseconds.');
    const tags: unknown = fields['step_tags'];
    for (const tag of Array.isArray(tags) ? (tags as readonly unknown[]) : []) step.tags.add(String(tag));
    const span = name.slice(0, -'_end'.length);
    if (span === 'step') step.seconds = value / 1e3;
    else step.spans.set(span, (step.spans.get(span) ?? 0) + value / 1e3);
    return undefined;
  }

  function lines(text: string, ended: boolean): TraceFault | undefined {
    const parts = (rest + text).split('\n');
    rest = ended ? '' : (parts.pop() ?? '');
    for (const part of parts) {
      const found = take(part);
      if (found !== undefined) return found;
      line += 1;
    }
    return rest.length > longest ? fault(`This line has more than ${longest / 2 ** 20} MiB.`) : undefined;
  }

  return {
    push: (chunk) => lines(asciiText(chunk, 0, chunk.length), false),
    end() {
      const found = lines('', true);
      if (found !== undefined) return { fault: found };
      const whole = [...steps.values()].filter(({ seconds }) => !Number.isNaN(seconds));
      if (rank === undefined || whole.length === 0)
        return { fault: { ...fault('The log has no whole step: no record is called "step_end".'), line: 0 } };
      return { logged: { rank, steps: whole.map((step, at) => loggedStep(step, whole[at + 1])) } };
    },
  };
}

/** From the start of a step to the start of the next: what a rank waits for between them is of the iteration. */
function loggedStep({ number, start, seconds, spans, tags }: OpenStep, next: OpenStep | undefined): LoggedStep {
  const also = [...tags].filter((tag) => others.has(tag));
  return {
    number,
    seconds: next?.number === number + 1 ? next.start - start : seconds,
    spans: [...spans].map(([name, own]): LoggedSpan => ({ name, seconds: own })),
    ...(also.length === 0 ? {} : { also }),
  };
}
