import { join } from 'node:path';
import { catalogue, type Code, codes } from '../../engine/findings/catalogue.ts';
import { type Command, usageFault } from '../command.ts';
import type { Policy } from '../../engine/policies/policy.ts';
import { findPolicy, policies } from '../../engine/policies/registry.ts';
import { scheduleUri, standardText } from '../../engine/std/index.ts';
import { exchangeNames, exchangeText } from '../output/exchangeText.ts';
import type { Io } from '../io.ts';
import { nearest } from '../../engine/basics/spelling.ts';
import { textAdvice, textSchedules } from '../../engine/language/textSchedules.ts';
import { status } from '../status.ts';

/** `explain CODE`: the page of a diagnostic. `explain SCHEDULE`: the text of a built-in schedule, or its page if it has none. `explain RULE`: what a rule or a collective is. */
export const explainCommand: Command = {
  spec: {
    name: 'explain',
    operands: 'CODE | SCHEDULE | RULE | COLLECTIVE',
    summary:
      'Explain a diagnostic, a rule of gradient exchange or a collective, or print the text of a built-in schedule, or the page of one that is an example.',
    options: [],
    notes: [`Codes:\n${codes.map((code) => `  ${code.padEnd(26)} ${catalogue[code].summary}`).join('\n')}`],
  },
  async run(args, io) {
    const [code, ...more] = args.operands;
    if (code === undefined || more.length > 0)
      return usageFault(
        io,
        'explain',
        'It needs one code, such as memory/out-of-memory, one schedule, such as zb_h1, or one rule or collective, such as ddp.',
      );
    const policy = findPolicy(code);
    if (policy !== undefined) {
      await io.out(scheduleText(policy, io));
      return status.fine;
    }
    const rule = exchangeText(code);
    if (rule !== undefined) {
      await io.out(rule);
      return status.fine;
    }
    const text = textAdvice(code);
    const described = textSchedules.get(code.toLowerCase());
    if (text !== undefined && described !== undefined) {
      const page = io.readText(join(io.packageRoot, 'docs', 'schedules', `${described.page}.md`));
      await io.out('text' in page ? page.text : `# ${code}\n\n${text}\n`);
      return status.fine;
    }
    if (!isCode(code)) {
      const guess = nearest(code, [
        ...codes,
        ...policies.map(({ name }) => name),
        ...textSchedules.keys(),
        ...exchangeNames,
      ]);
      return usageFault(
        io,
        'explain',
        `Unknown code, schedule, rule or collective "${code}".${guess === undefined ? '' : ` Did you mean "${guess}"?`}`,
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
