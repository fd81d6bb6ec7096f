/** Reads YAML 1.2 as JSON values with places: mappings, lists and plain values. */
import { isAlias, isMap, isScalar, isSeq, parseDocument, type ParsedNode, type YAMLParseError } from 'yaml';
import { clipped, type TextFault } from '../fault.ts';
import type { JsonMember, JsonValue } from '../json/value.ts';

/** Deeper nesting and longer texts are refused: no description of a system has them, and the parser is slow there. */
const deepest = 50;
const longest = 200_000;

type Read = JsonValue | { readonly fault: TextFault };

export interface YamlReading {
  /** Most values of a text with aliases, each counted where it is repeated. Without it, aliases are refused. */
  readonly values?: number;
  /** Most characters of a text value that are kept (default: 40). */
  readonly characters?: number;
}

/** What is left to read, and the document in which an alias finds its anchor. */
interface Reading extends YamlReading {
  readonly document: ParsedDocument;
  left: number;
}

type ParsedDocument = ReturnType<typeof parseDocument>;

/**
 * The value of a text, or the first thing that is wrong with it. Several documents, keys twice, aliases, and keys that are no
 * plain values are refused. Never throws.
 */
export function readYaml(text: string, reading: YamlReading = {}): Read {
  if (text.length > longest)
    return refused({ start: longest, end: longest + 1 }, `YAML is read up to ${longest} characters.`);
  // Keys are compared below: the parser would look at each pair of them.
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) {
    const [start, end] = error.pos.map((value) => Math.min(value, text.length));
    return refused({ start, end: Math.max(start, end) }, messageOf(error));
  }
  return document.contents === null
    ? { kind: 'null', start: 0, end: 0 }
    : valueOf(document.contents, 0, { ...reading, document, left: reading.values ?? Number.POSITIVE_INFINITY });
}

function messageOf({ code, message }: YAMLParseError): string {
  if (code === 'MULTIPLE_DOCS') return 'A second document starts here; only one is read.';
  if (message.includes('call stack')) return tooDeep;
  return plainMessages.has(code) ? `${message}.` : (messages[code] ?? 'This is not valid YAML.');
}

/** Kinds of errors whose message in the parser has no text of the file. */
const plainMessages: ReadonlySet<YAMLParseError['code']> = new Set([
  ...(['ALIAS_PROPS', 'BAD_INDENT', 'BLOCK_AS_IMPLICIT_KEY', 'BLOCK_IN_FLOW', 'KEY_OVER_1024_CHARS'] as const),
  ...(['MISSING_CHAR', 'MULTILINE_IMPLICIT_KEY', 'MULTIPLE_ANCHORS', 'MULTIPLE_TAGS', 'TAB_AS_INDENT'] as const),
]);

/** Of the others, those that this reader can say better. */
const messages: Readonly<Partial<Record<YAMLParseError['code'], string>>> = {
  BAD_ALIAS: 'Aliases cannot be read.',
  BAD_DIRECTIVE: 'This directive cannot be read.',
  BAD_DQ_ESCAPE: 'This is not an escape of YAML.',
  BAD_SCALAR_START: 'A value without quotes cannot start with this character.',
  TAG_RESOLVE_FAILED: 'Tags cannot be read.',
  UNEXPECTED_TOKEN: 'YAML does not allow this here.',
};

const tooDeep = `The YAML text is nested more than ${deepest} deep.`;

function valueOf(node: ParsedNode, depth: number, reading: Reading): Read {
  const [start, end] = node.range;
  const at = { start, end };
  if (depth > deepest) return refused(at, tooDeep);
  reading.left -= 1;
  if (reading.left < 0)
    return refused(at, `With its aliases the YAML text has more than ${reading.values ?? 0} values.`);
  if (isAlias(node)) {
    const anchor = reading.values === undefined ? undefined : node.resolve(reading.document);
    // Values of an anchor are reported there. Its own alias inside it is as deep as it likes, which ends at the limit of depth.
    return anchor === undefined
      ? refused(at, 'Aliases cannot be read.')
      : valueOf(anchor as ParsedNode, depth + 1, reading);
  }
  if (isScalar(node)) return scalarOf(node.value, at, reading.characters);
  if (isSeq<ParsedNode>(node)) {
    const items: JsonValue[] = [];
    for (const item of node.items) {
      const value = valueOf(item, depth + 1, reading);
      if ('fault' in value) return value;
      items.push(value);
    }
    return { kind: 'array', items, ...at };
  }
  if (!isMap<ParsedNode, ParsedNode | null>(node)) return refused(at, 'Expected a value, a list or a mapping.');
  const members = new Map<string, JsonMember>();
  for (const { key, value } of node.items) {
    const [keyStart, keyEnd] = key.range;
    const keyAt = { start: keyStart, end: keyEnd };
    if (!isScalar(key)) return refused(keyAt, 'A key must be a plain value.');
    const name = String(key.value);
    if (members.has(name)) return refused(keyAt, 'This key appears a second time here.');
    const read = value === null ? { kind: 'null' as const, ...keyAt } : valueOf(value, depth + 1, reading);
    if ('fault' in read) return read;
    members.set(name, { key: keyAt, value: read });
  }
  return { kind: 'object', members, ...at };
}

const refused = (at: { readonly start: number; readonly end: number }, message: string): Read => ({
  fault: { ...at, message },
});

function scalarOf(
  value: unknown,
  at: { readonly start: number; readonly end: number },
  characters: number | undefined,
): JsonValue {
  if (value === null || value === undefined) return { kind: 'null', ...at };
  if (typeof value === 'number') return { kind: 'number', value, ...at };
  if (typeof value === 'boolean') return { kind: 'boolean', value, ...at };
  if (typeof value === 'bigint') return { kind: 'number', value: Number(value), ...at };
  // Nothing else is a scalar of YAML's core schema.
  return { kind: 'string', value: typeof value === 'string' ? clipped(value, characters) : '', ...at };
}
