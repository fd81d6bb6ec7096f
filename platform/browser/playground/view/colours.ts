/** Colours of the text by the grammar that editors use: its regular expressions, read as they are. */
import { HighlightStyle, StreamLanguage, syntaxHighlighting, type StringStream } from '@codemirror/language';
import { type Tag, tags } from '@lezer/highlight';
import grammar from '../../../../grammar/pipe.tmLanguage.json' with { type: 'json' };

interface Rule {
  readonly include?: string;
  readonly name?: string;
  readonly match?: string;
  readonly begin?: string;
  readonly end?: string;
  readonly captures?: Captures;
  readonly beginCaptures?: Captures;
  readonly patterns?: readonly Rule[];
}
type Captures = Readonly<Record<string, { readonly name?: string }>>;

/** A rule with its expression. What a rule begins has an end, and rules for its inside. */
interface Ready {
  readonly pattern: RegExp;
  readonly scope: string | undefined;
  readonly captures: Captures;
  readonly inside?: {
    readonly end: RegExp;
    readonly rules: () => readonly Ready[];
    readonly scope: string | undefined;
  };
}

/** By the beginning of a scope, the first that fits. */
const looks: readonly (readonly [scope: string, tag: Tag])[] = [
  ['comment.line.documentation', tags.docComment],
  ['comment', tags.comment],
  ['string', tags.string],
  ['invalid', tags.invalid],
  ['keyword.operator', tags.operator],
  ['keyword.other.unit', tags.unit],
  ['keyword', tags.keyword],
  ['constant.numeric', tags.number],
  ['support.constant', tags.atom],
  ['entity.name.type', tags.typeName],
  ['entity.name.tag', tags.labelName],
  ['entity.name.function', tags.macroName],
  ['variable.other.property', tags.propertyName],
  ['punctuation', tags.punctuation],
  ['variable', tags.variableName],
];
const tokenTable = Object.fromEntries(looks.map(([, tag]) => [String(tag), tag]));
const styleOf = (scope: string | undefined): string | null =>
  String(looks.find(([start]) => scope?.startsWith(start))?.[1] ?? '') || null;

const repository = grammar.repository as unknown as Readonly<Record<string, Rule>>;
const sticky = (source: string): RegExp => new RegExp(source, 'dy');
const known = new Map<readonly Rule[], readonly Ready[]>();

/** Rules in order, with those that they include. */
function readied(rules: readonly Rule[]): readonly Ready[] {
  const already = known.get(rules);
  if (already !== undefined) return already;
  const made = rules.flatMap((rule): readonly Ready[] => {
    if (rule.include !== undefined) return readied(repository[rule.include.slice(1)].patterns ?? []);
    const { name: scope, match, begin, end, captures = {}, beginCaptures = {}, patterns = [] } = rule;
    if (match !== undefined) return [{ pattern: sticky(match), scope, captures }];
    if (begin === undefined || end === undefined) return [];
    const inside = { end: sticky(end), rules: () => readied(patterns), scope };
    return [{ pattern: sticky(begin), scope, captures: beginCaptures, inside }];
  });
  known.set(rules, made);
  return made;
}

interface State {
  /** What has begun and not ended. */
  readonly open: NonNullable<Ready['inside']>[];
  /** Pieces of the last match that are still to be given: ends in the line, and looks. */
  readonly pieces: { readonly end: number; readonly style: string | null }[];
}

function token(stream: StringStream, state: State): string | null {
  // What ends with its line.
  if (stream.sol()) while (state.open.at(-1)?.end.source === '$') state.open.pop();
  const piece = state.pieces.shift();
  if (piece !== undefined) {
    stream.pos = piece.end;
    return piece.style;
  }
  const inside = state.open.at(-1);
  const ended = inside === undefined ? undefined : found(inside.end, stream);
  if (inside !== undefined && ended !== undefined) {
    state.open.pop();
    if (ended[0] !== '') {
      stream.pos += ended[0].length;
      return styleOf(inside.scope);
    }
  }
  for (const rule of inside === undefined || ended !== undefined ? readied(grammar.patterns) : inside.rules()) {
    const match = found(rule.pattern, stream);
    if (match === undefined || match[0] === '') continue;
    if (rule.inside !== undefined) state.open.push(rule.inside);
    state.pieces.push(...piecesOf(rule, match));
    return token(stream, state);
  }
  stream.pos += 1;
  return styleOf(inside?.scope);
}

function found(pattern: RegExp, { string, pos }: StringStream): RegExpExecArray | undefined {
  pattern.lastIndex = pos;
  return pattern.exec(string) ?? undefined;
}

/** A match in the looks of its captures, and of the whole between them. */
function piecesOf({ captures, scope }: Ready, match: RegExpExecArray): State['pieces'] {
  const whole = match.index + match[0].length;
  const pieces: State['pieces'] = [];
  let at = match.index;
  for (const [number, { name }] of Object.entries(captures)) {
    const [start, end] = match.indices?.[Number(number)] ?? [at, at];
    if (number === '0' || start < at || end === start) continue;
    if (start > at) pieces.push({ end: start, style: styleOf(scope) });
    pieces.push({ end, style: styleOf(name) });
    at = end;
  }
  if (whole > at) pieces.push({ end: whole, style: styleOf(scope) });
  return pieces;
}

export const pipeLanguage = StreamLanguage.define<State>({
  name: 'pipe',
  startState: () => ({ open: [], pieces: [] }),
  copyState: ({ open, pieces }) => ({ open: [...open], pieces: [...pieces] }),
  token,
  tokenTable,
  languageData: {
    commentTokens: { line: '//', block: { open: '/*', close: '*/' } },
    closeBrackets: { brackets: ['(', '[', '{', '"'] },
  },
});

const colour = (name: string) => ({ color: `var(--code-${name})` });
export const colours = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [tags.comment, tags.docComment], ...colour('comment') },
    { tag: tags.string, ...colour('string') },
    { tag: [tags.number, tags.unit], ...colour('number') },
    { tag: tags.keyword, ...colour('keyword') },
    { tag: tags.typeName, ...colour('type') },
    { tag: tags.labelName, ...colour('type') },
    { tag: [tags.macroName, tags.atom], ...colour('function') },
    { tag: tags.propertyName, ...colour('property') },
    { tag: tags.invalid, ...colour('invalid') },
  ]),
);
