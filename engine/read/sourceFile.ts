/** The file that a source such as `profile("graph.txt")` names, and faults in it. */
import { LineIndex } from '../../grammar/lines.ts';
import type { Argument, Call, Span } from '../../grammar/syntax.ts';
import type { TextFault } from '../formats/fault.ts';
import type { ReadContext } from './context.ts';
import { reportProblem } from '../language/importProblem.ts';
import { bindArguments } from './arguments.ts';

export interface SourceFileText {
  /** As written. */
  readonly path: string;
  readonly uri: string;
  readonly text: string;
  /** Where the path is written. */
  readonly at: Span;
  readonly arguments?: ReadonlyMap<string, Argument>;
}

/** The file of a call with a path in quotes and perhaps `more` arguments; `undefined` where there is none, which has been reported. */
export function readSourceFile(
  context: ReadContext,
  call: Call,
  more: readonly string[] = [],
  /** What the file holds, for a file that does not exist. */
  contents?: string,
): SourceFileText | undefined {
  const owner = call.callee.text;
  const bound = bindArguments(context, call, owner, ['file', ...more]);
  const value = bound?.get('file')?.value;
  if (value === undefined) {
    if (bound !== undefined)
      context.report.report('key/missing', call.callee, {
        key: 'file',
        block: `call to ${owner}`,
        example: `${owner}("FILE")`,
      });
    return undefined;
  }
  if (value.kind === 'missing') return undefined;
  if (value.kind !== 'string') {
    const found = context.syntax.text.slice(value.start, Math.min(value.end, value.start + 40));
    context.report.report('type/mismatch', value, { expected: 'a path in quotes', found: `\`${found}\`` });
    return undefined;
  }
  const path = value.value;
  const file = context.foreign.read(path, context.uri);
  if ('text' in file) return { path, uri: file.uri, text: file.text, at: value, arguments: bound };
  if ('problem' in file) {
    const from = /^(std:|[/\\\\]|[A-Za-z]:)/.test(path) ? [] : ['Paths start at the folder of this file.'];
    const advice = [...from, ...(contents === undefined ? [] : [contents])].join(' ');
    reportProblem(context, value, path, file.problem, advice === '' ? undefined : advice);
  } else
    context.report.report('limit/too-large', value, {
      what: `Characters of "${path}"`,
      figure: file.tooLarge.toLocaleString('en-US'),
      limit: context.options.limits.fileSize.toLocaleString('en-US'),
      setting: 'pipewright.limits.fileSize',
    });
  return undefined;
}

/** Reports that a file is damaged, once, at its path, by the first fault; the others are listed with it. */
export function reportFaults(context: ReadContext, file: SourceFileText, faults: readonly TextFault[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const { line, character } = new LineIndex(file.text).positionAt(first.start);
  const detail = `line ${line + 1}, column ${character + 1}: ${first.message.replace(/\.$/, '')}`;
  context.report.report(
    'import/unreadable',
    file.at,
    { path: file.path, detail },
    {
      related: faults
        .slice(0, 10)
        .map(({ start, end, message }) => ({ place: { uri: file.uri, start, end }, message })),
    },
  );
}
