/** Actions that write the times of a recorded run into a pipeline. The extension reads the run, and shows the change first. */
import { CodeActionKind, type CodeAction, type Command } from 'vscode-languageserver';
import type { BlockDeclaration, Entry, Expression, Span } from '../../grammar/index.ts';
import { holds } from '../text/convert.ts';
import { printable } from '../text/printable.ts';
import type { View } from '../view.ts';

/** The run that a pipeline names. */
interface NamedRun {
  readonly uris: readonly string[];
  readonly skip?: number;
  readonly ranks?: readonly number[];
}

/**
 * At the head of a pipeline, and at what bounds its drift. `measured = trace("traces/")` says which run: then it is a quick fix.
 * Otherwise the extension asks for it.
 */
export const calibrations = (view: View, at: number): readonly CodeAction[] =>
  view.syntax.declarations.flatMap((declaration): CodeAction[] => {
    if (declaration.kind !== 'block' || declaration.keyword.text !== 'pipeline') return [];
    const { keyword, name } = declaration;
    if (name === undefined) return [];
    const measured = entriesOf(declaration).find(({ key }) => key.text === 'measured');
    const head = { start: keyword.start, end: name.end };
    const run = measured === undefined ? undefined : namedRun(view, measured);
    const spans = [head, ...(measured === undefined ? [] : [measured, ...boundsOf(view, name.text)])];
    if (!spans.some((span) => holds(span, at))) return [];
    const given = run === undefined ? [] : [run];
    const title = `Calibrate ${printable(name.text)} with ${run === undefined ? 'a recorded run…' : 'its recorded run'}`;
    const command: Command = { title, command: 'pipewright.calibrate', arguments: [view.uri, name.text, ...given] };
    return [{ title, kind: run === undefined ? CodeActionKind.RefactorRewrite : CodeActionKind.QuickFix, command }];
  });

const entriesOf = (block: BlockDeclaration): readonly Entry[] =>
  (block.body?.entries ?? []).filter((item): item is Entry => item.kind === 'entry');

/** `expect train { drift <= 5% }`: findings of what bounds the drift. */
function boundsOf({ analysis, syntax, uri }: View, pipeline: string): readonly Span[] {
  const blocks = syntax.declarations.filter(
    (one) => one.kind === 'block' && one.keyword.text === 'expect' && one.name?.text === pipeline,
  );
  return analysis.findings
    .map(({ place }) => place)
    .filter((place) => place.uri === uri && /\bdrift\b/.test(syntax.text.slice(place.start, place.end)))
    .filter((place) => blocks.some((block) => block.start <= place.start && place.end <= block.end));
}

/** Undefined where an argument is no literal: then the reader names the run. */
function namedRun({ files, uri }: View, { values }: Entry): NamedRun | undefined {
  const call = values?.[0];
  if (call?.kind !== 'call' || call.callee.text !== 'trace') return undefined;
  const names = ['file', 'skip', 'ranks'];
  const of = (name: string): Expression | undefined =>
    call.arguments.find((argument, index) => (argument.name?.text ?? names[index]) === name)?.value;
  const [file, skip, ranks] = names.map(of);
  if (file?.kind !== 'string') return undefined;
  if (skip !== undefined && skip.kind !== 'quantity') return undefined;
  const numbers = ranks === undefined ? [] : numbersIn(ranks);
  if (numbers === undefined) return undefined;
  return {
    uris: [files.resolve(file.value, uri)],
    ...(skip === undefined ? {} : { skip: skip.value }),
    ...(ranks === undefined ? {} : { ranks: numbers }),
  };
}

function numbersIn(list: Expression): readonly number[] | undefined {
  if (list.kind !== 'list') return undefined;
  const numbers = list.items.flatMap((item) => (item.kind === 'quantity' && item.unit === '' ? item.value : []));
  return numbers.length === list.items.length ? numbers : undefined;
}
