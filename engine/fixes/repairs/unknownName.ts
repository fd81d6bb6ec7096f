import { table } from '../../basics/table.ts';
import { type Finding, parametersOf } from '../../findings/finding.ts';
import { operationMeant, operations, valueKinds } from '../../language/kinds.ts';
import { dimensionIn } from '../../language/schema.ts';
import { exampleOf } from '../../language/units.ts';
import { spellings } from '../../basics/spelling.ts';
import { linksLike } from '../../std/linksLike.ts';
import { callableOf, withArguments } from '../callArguments.ts';
import { entriesOf, setKey, valueOf } from '../source.ts';
import { joined, replaced, withDeclaration, withEntry, withoutItem, withoutNode } from './edits.ts';
import { type Exported, exportsOf, standardNames } from '../../language/exported.ts';
import { kindsFor, withImport } from './exports.ts';
import { type Mistake, mostAtOnce, type Repair, type Repairer } from './repair.ts';
import { bracketing, parametrised } from './scheduleSlips.ts';
import { bodiesOf, siteAt } from './site.ts';
import { namesOf } from './values.ts';

/** The nearest spellings, an import that gives the name, a declaration of it. */
export const nameUnknown: Repairer = { repairs };

function* repairs(mistake: Mistake): Generator<Repair | undefined> {
  const { finding } = mistake;
  const parameters = parametersOf(finding, 'name/unknown');
  if (parameters === undefined) return;
  const { name, nearest, kind, words = [], write, elsewhere, advice, from } = parameters;
  if (elsewhere !== undefined) return yield* atOtherKey(mistake, elsewhere.key);
  if (kind === 'policy' && advice !== undefined) return yield* withOneStage(mistake);
  if (kind === 'kind of data to offload') yield* ofOptimizer(mistake, name);
  if (name === 'all') yield* withoutArgument(mistake);
  if (write?.endsWith('[…]') === true) yield bracketing(mistake);
  else if (write !== undefined) yield parametrised(mistake, write);
  if (from !== undefined && nearest === name) return yield* fromOtherFile(mistake, name, from);
  const exact = [...imported(mistake, kind)].filter((exported) => exported.name === name);
  for (const exported of exact) yield importing(mistake, exported);
  // The name that the message names comes first.
  if (from !== undefined) yield* nearImports(mistake, kind, name);
  const suggestions = finding.hint?.kind === 'spelling' ? finding.hint.suggestions : [];
  for (const text of new Set([
    ...suggestions,
    ...similar(mistake, kind, name),
    ...words.filter((word) => !word.endsWith('(…)')).slice(0, 5),
  ]))
    yield { what: `Change to "${text}"`, edits: [replaced(finding.place, text)] };
  if (exact.length === 0 && from === undefined) yield* nearImports(mistake, kind, name);
  if (isOperation(finding)) return yield* everyOperation(mistake);
  yield* declaring(mistake, kind, name);
  yield* onlyOne(mistake, kind);
}

/** A name in an import that another file gives. */
function* fromOtherFile(
  { analysis: { syntax }, finding: { place } }: Mistake,
  name: string,
  from: string,
): Generator<Repair> {
  const node = syntax.declarations.find((each) => each.start <= place.start && place.end <= each.end);
  if (node?.kind !== 'import' || node.names === undefined || node.path === undefined) return;
  const index = node.names.findIndex(({ start }) => start === place.start);
  const isImported = syntax.declarations.some((each) => each.kind === 'import' && each.path?.value === from);
  const alone = node.names.length === 1;
  yield {
    what: `Import "${name}" from "${from}"`,
    edits:
      alone && !isImported
        ? [replaced(node.path, `"${from}"`)]
        : [
            withImport(syntax, { name, kind: 'let', path: from }),
            alone ? withoutNode(syntax, node) : withoutItem(node.names, index),
          ],
  };
}

/** A pipeline of one stage, which any schedule runs alike: its devices are data ranks. */
function* withOneStage({ analysis: { syntax }, finding }: Mistake): Generator<Repair> {
  const { within } = siteAt(syntax, finding.place.start);
  if (within === undefined) return;
  const isCut = valueOf(within, 'stages') !== undefined || entriesOf(within, 'stage').length > 0;
  const schedule = replaced(finding.place, '1f1b');
  if (isCut) yield { what: 'Change to "1f1b"', edits: [schedule] };
  else
    yield {
      what: 'Write stages = balance(1) and schedule = 1f1b',
      edits: [schedule, withEntry(syntax.text, within, 'stages = balance(1)')],
    };
}

/** `sync = ring` as `collective = ring`; the pipeline keeps one entry of the key. */
function* atOtherKey({ analysis: { syntax }, finding }: Mistake, key: string): Generator<Repair> {
  const { entry, within } = siteAt(syntax, finding.place.start);
  const value = entry?.values?.[0];
  if (entry === undefined || within === undefined || value === undefined) return;
  const text = syntax.text.slice(value.start, value.end);
  const edits =
    entriesOf(within, key).length === 0
      ? [replaced(entry.key, key)]
      : [setKey(syntax.text, within, key, text), withoutNode(syntax, entry)];
  yield { what: `Write ${key} = ${text}`, edits };
}

/** `offload = optimizer` as the argument of the optimizer. */
function* ofOptimizer({ analysis: { syntax }, finding }: Mistake, name: string): Generator<Repair> {
  const { entry, within } = siteAt(syntax, finding.place.start);
  if (name !== 'optimizer' || entry === undefined || within === undefined) return;
  const what = 'Set offload = 100% in the optimizer';
  const written = entriesOf(within, 'optimizer')[0];
  const recipe = callableOf(written?.values?.[0]);
  if (written === undefined)
    yield { what, edits: [replaced(entry, 'optimizer = adam_mixed(offload = 100%)')], last: true };
  else if (recipe !== undefined)
    yield {
      what,
      edits: [
        withArguments(syntax.text, recipe, { offload: '100%' }, (argument) => argument.name?.text),
        withoutNode(syntax, entry),
      ],
    };
}

/** `targets = all`: an argument that is left out means all. */
function* withoutArgument({ analysis: { syntax }, finding: { place } }: Mistake): Generator<Repair> {
  const { path } = siteAt(syntax, place.start);
  const call = path.findLast((node) => node.kind === 'call');
  if (call?.kind !== 'call') return;
  const at = call.arguments.findIndex(({ value }) => value.start <= place.start && place.end <= value.end);
  const argument = call.arguments[at];
  if (argument?.name === undefined) return;
  yield { what: `Remove "${argument.name.text}"`, edits: [withoutItem(call.arguments, at)] };
}

/** Whether the name is an operation as the preview writes it: `F0` in a row. */
function isOperation(finding: Finding): boolean {
  const parameters = parametersOf(finding, 'name/unknown');
  const operation = parameters === undefined ? undefined : operationMeant(parameters.name);
  return operation !== undefined && parameters?.nearest === operation;
}

/** All operations as one change, if the findings are too many for the fix of all findings of their code. */
function* everyOperation({ analysis, finding }: Mistake): Generator<Repair> {
  if (analysis.findings.filter(({ code }) => code === finding.code).length <= mostAtOnce) return;
  const all = analysis.findings.filter(isOperation);
  if (all.length < 2) return;
  yield {
    what: `Change all ${all.length} operations that are written without brackets`,
    edits: all.map(({ place, hint }) => {
      const operation = hint?.kind === 'spelling' ? hint.suggestions[0] : undefined;
      return operation === undefined ? undefined : replaced(place, operation);
    }),
    last: true,
  };
}

/** Names of the file that are spelled alike, the nearest first. */
function similar({ analysis }: Mistake, kind: string, name: string): readonly string[] {
  const near = spellings();
  const left = new Set(kindsFor(kind).flatMap((each) => namesOf(analysis, each as Parameters<typeof namesOf>[1])));
  const out: string[] = [];
  for (let best = near(name, left); best !== undefined && out.length < 3; best = near(name, left)) {
    out.push(best);
    left.delete(best);
  }
  return out;
}

/** A declaration of the right kind, if it is the only one. */
function* onlyOne({ analysis, finding }: Mistake, kind: string): Generator<Repair> {
  if (kind === 'name') return;
  const names = kindsFor(kind).flatMap((each) => namesOf(analysis, each as Parameters<typeof namesOf>[1]));
  const [only] = names;
  if (names.length === 1 && only !== undefined)
    yield { what: `Change to "${only}"`, edits: [replaced(finding.place, only)] };
}

function* imported({ neighbours }: Mistake, kind: string): Generator<Exported> {
  const kinds = kindsFor(kind);
  const fits = (exported: Exported): boolean => kinds.includes(exported.kind);
  yield* standardNames().filter(fits);
  for (const neighbour of neighbours()) yield* exportsOf(neighbour).filter(fits);
}

const importing = ({ analysis }: Mistake, exported: Exported): Repair => ({
  what: `Import "${exported.name}" from "${exported.path}"`,
  edits: [withImport(analysis.syntax, exported)],
});

/** A name of another file that is spelled alike, and standard links whose names begin with the same letters. */
function* nearImports(mistake: Mistake, kind: string, name: string): Generator<Repair> {
  const all = new Map([...imported(mistake, kind)].map((exported) => [exported.name, exported]));
  const near = spellings()(name, all.keys());
  const links = kind === 'name' ? linksLike(name) : [];
  for (const like of new Set(near === undefined ? links : [near, ...links])) {
    const exported = all.get(like);
    if (exported === undefined) continue;
    const { what, edits } = importing(mistake, exported);
    yield { what: `${what} in its place`, edits: [...edits, replaced(mistake.finding.place, exported.name)] };
  }
}

const skeletons: Readonly<Record<string, (name: string, other: string) => string>> = table({
  device: (name) => `device ${name} { memory = 80GiB }`,
  cluster: (name, device) => `cluster ${name} { gpu[4] = ${device}  link = 25GB/s + 5us }`,
  model: (name) => `model ${name} { layer block[8] { forward = 4ms  backward = 8ms } }`,
  policy: (name) => `schedule ${name} { order = greedy(prefer = [B, F]) }`,
});

/** A declaration with usual values, to go on from. */
function* declaring({ analysis, finding }: Mistake, kind: string, name: string): Generator<Repair> {
  const { syntax } = analysis;
  const { start } = finding.place;
  if (!/^[A-Za-z_]\w*$/.test(name)) return;
  if (kind === 'name') {
    const { key, path } = siteAt(syntax, start);
    // Inside an expression of several terms the dimension is that of its neighbour.
    const term = path.findLast((node) => node.kind === 'binary');
    const quantity =
      term?.kind === 'binary' ? [term.left, term.right].find(({ kind: each }) => each === 'quantity') : undefined;
    const dimension = key === undefined ? undefined : dimensionIn(key.value, 'first');
    const values = new Set<string>();
    if (quantity !== undefined) values.add(syntax.text.slice(quantity.start, quantity.end));
    if (dimension !== undefined) values.add(exampleOf[dimension]);
    // A row has numbers, such as those of microbatches, and no links.
    const inRow = key !== undefined && valueKinds[key.value.kind].targets === operations;
    for (const value of inRow ? ['1'] : ['1', '25GB/s + 5us']) values.add(value);
    for (const value of values)
      yield {
        what: `Declare let ${name} = ${value}`,
        edits: [withDeclaration(syntax, start, `let ${name} = ${value}`)],
        group: 'let',
        last: true,
      };
    return;
  }
  if (kind === 'layer') {
    for (const { block, body, label } of bodiesOf(syntax)) {
      if (block === 'model' && finding.message.includes(label))
        yield {
          what: `Declare layer "${name}" in ${label}`,
          edits: [withEntry(syntax.text, body, `layer ${name} { forward = 4ms  backward = 8ms }`)],
          last: true,
        };
    }
    return;
  }
  const skeleton = skeletons[kind];
  if (skeleton === undefined) return;
  const devices = namesOf(analysis, 'device');
  const word = kind === 'policy' ? 'schedule' : kind;
  for (const device of devices.length === 0 ? ['h100'] : devices.slice(0, 1)) {
    const missing = kind === 'cluster' && devices.length === 0;
    const hardware = standardNames().find((exported) => exported.name === device);
    const edits = [withDeclaration(syntax, start, skeleton(name, device))];
    yield {
      what: `Declare ${word} "${name}"`,
      edits: missing && hardware !== undefined ? joined([withImport(syntax, hardware), ...edits]) : edits,
      last: true,
    };
  }
}
