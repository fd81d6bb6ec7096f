/** Answers a call of a tool: the command line does it, in the working folder, and nothing is written. */
import { join, resolve } from 'node:path';
import type { RunCommand } from '../command.ts';
import type { Io } from '../io.ts';
import { type Summary, summaryData, summaryText } from '../summary/summary.ts';
import { status } from '../status.ts';
import { explainedPage } from './explainedPage.ts';
import type { ToolAnswer } from './toolAnswer.ts';
import { toolArguments, type ToolCall } from './toolArguments.ts';
import { type Tool, tools } from './tools.ts';

/** What a tool may read, and the command line that answers it. */
export interface ToolWorld {
  readonly io: Io;
  readonly run: RunCommand;
}

/** `stopped` hears when nobody wants the answer any more. */
export async function answerTool(
  name: string,
  given: Readonly<Record<string, unknown>>,
  world: ToolWorld,
  stopped?: (stop: () => void) => void,
): Promise<ToolAnswer> {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) return failed(`There is no tool "${name}".`);
  const call = toolArguments(tool, given);
  if ('problem' in call) return failed(call.problem);
  const { code, out, notes, summary, most } = await ran(call, world, stopped);
  if (summary !== undefined) return answerOf({ ...summary, head: [...summary.head, ...notes] }, most);
  if (code !== status.fine) return failed(sentenceOf(tool, notes));
  if (tool.command === 'explain') return explainedPage(out, Number(given['offset'] ?? 0));
  if (tool.command === 'export') return exportedFile(out, notes);
  const before = call.texts.get(call.args.at(-1) ?? '') ?? textAt(call.args.at(-1) ?? '', world.io);
  const fields = tool.command === 'format' ? { changed: before !== out } : {};
  const said = tool.command !== 'format' ? [] : [before === out ? 'The file is formatted.' : 'The layout changes.'];
  const answer = answerOf({ head: [...said, ...notes], fields, lists: [], text: out, whole: () => out }, Infinity);
  return { ...answer, mimeType: 'text/plain' };
}

/** The file below what it leaves out; a file that is too long is a resource. */
function exportedFile(out: string, notes: readonly string[]): ToolAnswer {
  const head = notes.length === 0 ? ['Nothing is left out.'] : notes;
  const fields = { left_behind: notes };
  const answer = answerOf({ head, fields, lists: [], text: out, whole: () => out }, Infinity);
  return { ...answer, mimeType: 'text/plain' };
}

const textAt = (path: string, { readText, cwd }: Io): string | undefined => {
  const read = readText(resolve(cwd, path));
  return 'text' in read ? read.text : undefined;
};

function answerOf(summary: Summary, most: number): ToolAnswer {
  const { text: file, whole } = summary;
  const [text, data] = [summaryText(summary, most), summaryData(summary, most)];
  // Of a file that is given as a whole there is nothing more to read.
  const more = file !== undefined && 'text' in data && data['left_out'] === undefined ? undefined : whole;
  return { text, data, ...(more === undefined ? {} : { whole: more }) };
}

const failed = (text: string): ToolAnswer => ({ text, isError: true });

interface Ran {
  readonly code: number;
  readonly out: string;
  /** What the command says in addition to its result. */
  readonly notes: readonly string[];
  readonly summary?: Summary;
  readonly most: number;
}

async function ran(
  { args, texts }: ToolCall,
  { io, run }: ToolWorld,
  stopped?: (stop: () => void) => void,
): Promise<Ran> {
  let [out, err] = ['', ''];
  let summary: Summary | undefined;
  let most = Infinity;
  const root = io.root ?? io.cwd;
  // Documents of the package are not the user's, and lie elsewhere.
  const docs = join(io.packageRoot, 'docs');
  const isOpen = (path: string): boolean => io.leadsInto(path, root) || io.leadsInto(path, docs);
  const refused = { problem: 'it is outside the working folder' };
  const code = await run(args, {
    ...io,
    cwd: root,
    root,
    projectOf: () => root,
    readText(path) {
      const place = resolve(root, path);
      const text = texts.get(path) ?? [...texts].find(([name]) => resolve(root, name) === place)?.[1];
      if (text !== undefined) return { text };
      return isOpen(place) ? io.readText(place) : refused;
    },
    openBytes: (path) => (isOpen(resolve(root, path)) ? io.openBytes(resolve(root, path)) : refused),
    filesIn: (path) => (isOpen(resolve(root, path)) ? io.filesIn(resolve(root, path)) : undefined),
    writeText: () => undefined,
    out: async (text) => void (out += typeof text === 'string' ? text : ''),
    // Bars of progress draw over themselves, and begin with a return.
    err: async (text) => void (err += text.startsWith('\r') ? '' : text),
    outIsTerminal: false,
    errIsTerminal: true,
    columns: 100,
    environment: { NO_COLOR: '1' },
    onInterrupt(stop) {
      stopped?.(stop);
      return () => undefined;
    },
    summarised: (answer, entries) => void ([summary, most] = [answer, entries]),
  });
  const notes = err
    .split('\n')
    .map((line) => line.replace(/^pipewright(?: \w+)?: /u, ''))
    .filter((line) => line !== '' && !line.startsWith('Try "pipewright'));
  return { code, out, notes, ...(summary === undefined ? {} : { summary }), most };
}

/** Why a command did nothing, with the inputs of the tool in place of its options. */
function sentenceOf({ inputs }: Tool, notes: readonly string[]): string {
  const names = new Map(
    Object.entries(inputs).flatMap(([name, { option }]) => (option === undefined ? [] : [[option, name]])),
  );
  const text = notes.join('\n') || 'There is no answer.';
  return text.replaceAll(/--([a-z]+)/gu, (written, option: string) =>
    names.has(option) ? `\`${names.get(option)}\`` : written,
  );
}
