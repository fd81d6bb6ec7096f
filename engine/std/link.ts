/** A link of `std:hardware` and its text. */
import { type Confidence, reading } from './device.ts';

export interface LinkFigures {
  readonly name: string;
  readonly title: string;
  /** GB/s one way: of the specification, and what transfers reach. One of them is there. */
  readonly line?: number;
  readonly reached?: number;
  /** Microseconds of one transfer; absent where none is known. */
  readonly latency?: number;
  readonly confidence: Confidence;
  readonly sources: string;
}

/** The declaration with its documentation: what transfers reach, or the line rate where that is not known. */
export function linkText({ name, title, line, reached, latency, confidence, sources }: LinkFigures): string {
  const rate =
    reached === undefined
      ? ' The line rate: what transfers reach is not known.'
      : line === undefined
        ? ''
        : ` The line rate is ${line} GB/s.`;
  return [
    `/// ${title}.${rate}${latency === undefined ? ' No latency is known.' : ''}`,
    `/// Sources: ${sources}. Confidence: ${reading[confidence]}.`,
    `let ${name} = ${reached ?? line ?? 0}GB/s + ${latency ?? 0}us`,
  ].join('\n');
}
