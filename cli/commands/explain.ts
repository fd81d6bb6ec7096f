import { join } from 'node:path';
import { catalogue, type Code, codes } from '../../engine/findings/catalogue.ts';
import { type Command, usageFault } from '../command.ts';
import type { Policy } from '../../engine/policies/policy.ts';
import { findPolicy, policies } from '../../engine/policies/registry.ts';
import { scheduleUri, standardText } from '../../engine/std/index.ts';
import { topicNames } from '../../engine/language/topics.ts';
import { languageText, topicText } from '../output/topicText.ts';
import { exchangeNames } from '../output/exchangeText.ts';
import { pageEntries, type PageEntry, plainName } from '../glossary.ts';
import type { Io } from '../io.ts';
import { nearest } from '../../engine/basics/spelling.ts';
import { textAdvice, textSchedules } from '../../engine/language/textSchedules.ts';
import { status } from '../status.ts';

/**
 * `explain CODE`: the page of a diagnostic. `explain SCHEDULE`: the text of a built-in schedule, or its page if it has none. `explain NAME`:
 * what a rule, a key, a function, a figure or a device is. `explain language`: the language on one page.
 */
export const explainCommand: Command = {
  spec: {
    name: 'explain',
    operands: 'language | CODE | SCHEDULE | NAME',
    summary:
      'Explain the language on one page, a diagnostic, or any name: a key, function, figure, unit, term, setting, option, engine, device or model. Print the text of a built-in schedule.',
    options: [],
    looksUp: true,
    notes: [`Codes:\n${codes.map((code) => `  ${code.padEnd(26)} ${catalogue[code].summary}`).join('\n')}`],
  },
  async run(args, io) {
    const [typed, ...more] = args.operands;
    if (typed === undefined || more.length > 0)
      return usageFault(
        io,
        'explain',
        'It needs one name: language, a code such as memory/out-of-memory, a schedule such as zb_h1, or any other name, such as tensor, h100 or std:models.',
      );
    // `--over` is the option before anything else that is called so.
    const isOption = typed.startsWith('--');
    const code = isOption ? typed.slice(2) : typed;
    if (code === 'language') {
      await io.out(languageText());
      return status.fine;
    }
    const policy = findPolicy(code);
    if (policy !== undefined) {
      await io.out(scheduleText(policy, io));
      return status.fine;
    }
    const text = textAdvice(code);
    const described = textSchedules.get(code.toLowerCase());
    if (text !== undefined && described !== undefined) {
      const page = io.readText(join(io.packageRoot, 'docs', 'schedules', `${described.page}.md`));
      await io.out('text' in page ? page.text : `# ${code}\n\n${text}\n`);
      return status.fine;
    }
    const pages = pageEntries(io);
    const topic = topicText(spelled(code), pages.get(plainName(code)), isOption);
    if (topic !== undefined) {
      await io.out(topic);
      return status.fine;
    }
    if (!isCode(code)) {
      return usageFault(io, 'explain', `Nothing is called "${code}".${guessText(code, pages)}`);
    }
    const page = io.readText(join(io.packageRoot, 'docs', 'diagnostics', `${code}.md`));
    await io.out('text' in page ? page.text : `# ${code}\n\n${catalogue[code].summary}.\n`);
    return status.fine;
  },
};

/** Names that are offered of those that begin with what was typed, the shortest first. */
const mostBegun = 4;
/** Letters of a word from which on it is looked for inside names. */
const leastInner = 4;

/** The name as the language spells it: `h100` for `H100`, `in_flight` for `in-flight`. */
function spelled(typed: string): string {
  const names = [...topicNames()];
  return names.find((name) => name === typed) ?? names.find((name) => plainName(name) === plainName(typed)) ?? typed;
}

/** ` Did you mean "a100_40" or "a100_80"?`, although `a100` is `p100` but for a letter: names that begin so come first. */
function guessText(typed: string, pages: ReadonlyMap<string, readonly PageEntry[]>): string {
  const names = new Set([
    ...codes,
    ...policies.map(({ name }) => name),
    ...textSchedules.keys(),
    ...exchangeNames,
    ...topicNames(),
    ...[...pages.values()].flat().map(({ name }) => name),
  ]);
  const begun = [...names].filter((name) => name.startsWith(`${typed}_`)).toSorted((a, b) => a.length - b.length);
  const ofPages = [...pages.keys()].filter((name) => name.length >= leastInner && name.includes(plainName(typed)));
  const inside = typed.length < leastInner ? [] : ofPages.flatMap((name) => pages.get(name)?.[0]?.name ?? []);
  const near =
    begun.length > 0
      ? begun.slice(0, mostBegun)
      : [nearest(typed, names) ?? nearest(typed.toLowerCase(), names) ?? inside.slice(0, 2)].flat();
  const quoted = near.map((name) => `"${name}"`);
  const last = quoted.pop();
  if (last === undefined) return '';
  return ` Did you mean ${quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`}?`;
}

/** The text runs as a file: `pipewright explain zb_h1 > mine.pipe`. */
function scheduleText({ name, page, summary }: Policy, io: Io): string {
  const uri = scheduleUri(name);
  const text = uri === undefined ? undefined : standardText(uri);
  if (text !== undefined) return text;
  const written = io.readText(join(io.packageRoot, 'docs', 'schedules', `${page}.md`));
  return 'text' in written ? written.text : `# ${name}\n\n${summary}\n`;
}

const isCode = (text: string): text is Code => Object.hasOwn(catalogue, text);
