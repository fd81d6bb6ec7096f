import { join } from 'node:path';
import { catalogue, type Code, codes } from '../../engine/findings/catalogue.ts';
import { type Command, usageFault } from '../command.ts';
import type { Policy } from '../../engine/policies/policy.ts';
import { findPolicy, policies } from '../../engine/policies/registry.ts';
import { scheduleUri, standardText } from '../../engine/std/index.ts';
import type { Io } from '../io.ts';
import { nearest } from '../../engine/spelling.ts';
import { status } from '../status.ts';

/** `explain CODE`: the page of a diagnostic. `explain SCHEDULE`: the text of a built-in schedule, or its page if it has none. */
export const explainCommand: Command = {
  spec: {
    name: 'explain',
    operands: 'CODE | SCHEDULE',
    summary: 'Explain a diagnostic, or print the text of a built-in schedule.',
    options: [],
    notes: [`Codes:\n${codes.map((code) => `  ${code.padEnd(26)} ${catalogue[code].summary}`).join('\n')}`],
  },
  async run(args, io) {
    const [code, ...more] = args.operands;
    if (code === undefined || more.length > 0)
      return usageFault(
        io,
        'explain',
        'It needs one code, such as memory/out-of-memory, or one schedule, such as zb_h1.',
      );
    const policy = findPolicy(code);
    if (policy !== undefined) {
      await io.out(scheduleText(policy, io));
      return status.fine;
    }
    if (!isCode(code)) {
      const guess = nearest(code, [...codes, ...policies.map(({ name }) => name)]);
      return usageFault(
        io,
        'explain',
        `Unknown code or schedule "${code}".${guess === undefined ? '' : ` Did you mean "${guess}"?`}`,
      );
    }
    const page = io.readText(join(io.packageRoot, 'docs', 'diagnostics', `${code}.md`));
    await io.out('text' in page ? page.text : `# ${code}\n\n${catalogue[code].summary}.\n`);
    return status.fine;
  },
};

/** The text runs as a file: `pipewright explain zb_h1 > mine.pipe`. */
function scheduleText({ name, page, summary }: Policy, io: Io): string {
  const uri = scheduleUri(name);
  const text = uri === undefined ? undefined : standardText(uri);
  if (text !== undefined) return text;
  const written = io.readText(join(io.packageRoot, 'docs', 'schedules', `${page}.md`));
  return 'text' in written ? written.text : `# ${name}\n\n${summary}\n`;
}

const isCode = (text: string): text is Code => Object.hasOwn(catalogue, text);
