/**
 * The font of a PNG with fewer characters and without hints, for the packages: a third of DejaVu Sans, a quarter of its bytes. It
 * draws the characters that it keeps exactly as the whole font does: glyphs keep their numbers, so kerning and ligatures stay as they
 * are. (OpenType 1.9.1.)
 */
import { glyphsOf, tablesOf, viewOf } from '../../platform/node/glyphs.ts';

/** Alphabets that names of files and pipelines are written in, and signs of formulas and drawings. */
const kept: readonly (readonly [first: number, last: number])[] = [
  // Latin, combining marks, Greek, Cyrillic.
  [0x0020, 0x024f],
  [0x0300, 0x052f],
  [0x1e00, 0x1eff],
  // Punctuation, figures above and below, currencies, arrows, mathematics, technical signs.
  [0x2000, 0x23ff],
  // Frames and shapes.
  [0x2500, 0x25ff],
  // Ligatures, and the sign for what cannot be drawn.
  [0xfb00, 0xfb06],
  [0xfffd, 0xfffd],
];
const isKept = (character: string): boolean => {
  const code = character.codePointAt(0) ?? 0;
  return kept.some(([first, last]) => code >= first && code <= last);
};

/** Hints for screens of few dots, names of glyphs, and what only other programs read. A PNG is drawn without them. */
const leftOut: ReadonlySet<string> = new Set(['FFTM', 'cvt ', 'fpgm', 'gasp', 'MATH', 'prep']);

export function subsetOf(font: Uint8Array): Uint8Array {
  const tables = tablesOf(font);
  const table = (name: string): Uint8Array => {
    const found = tables.get(name);
    if (found === undefined) throw new Error(`The font has no table ${name}.`);
    return found;
  };
  const characters = [...glyphsOf(font)];
  const glyphs = outlinesOf(table('glyf'), table('loca'), viewOf(table('head')).getInt16(50) === 1);
  // What no character names, ligatures and marks replace others with.
  const encoded = new Set(characters.map(([, glyph]) => glyph));
  const wanted = new Set([...glyphs.keys()].filter((glyph) => !encoded.has(glyph)));
  for (const [character, glyph] of characters) if (isKept(character)) addWithParts(glyph, glyphs, wanted);
  for (const glyph of [0, ...wanted]) addWithParts(glyph, glyphs, wanted);
  const outlines = glyphs.map((outline, glyph) => (wanted.has(glyph) ? withoutHints(outline) : new Uint8Array()));
  const made = new Map([...tables].filter(([name]) => !leftOut.has(name)));
  made.set('glyf', Buffer.concat(outlines));
  made.set('loca', offsetsOf(outlines));
  made.set(
    'head',
    changed(table('head'), (view) => view.setInt16(50, 1)),
  );
  made.set('hmtx', widthsOf(table('hmtx'), viewOf(table('hhea')).getUint16(34), wanted));
  made.set('cmap', characterTable(characters.filter(([character]) => isKept(character))));
  // Version 3 has no names.
  made.set(
    'post',
    changed(table('post').slice(0, 32), (view) => view.setUint32(0, 0x0003_0000)),
  );
  return fontOf(made);
}

function changed(table: Uint8Array, change: (view: DataView) => void): Uint8Array {
  const copy = Uint8Array.from(table);
  change(viewOf(copy));
  return copy;
}

function outlinesOf(glyf: Uint8Array, loca: Uint8Array, isLong: boolean): readonly Uint8Array[] {
  const view = viewOf(loca);
  const at = (glyph: number): number => (isLong ? view.getUint32(4 * glyph) : 2 * view.getUint16(2 * glyph));
  const count = loca.length / (isLong ? 4 : 2) - 1;
  return Array.from({ length: count }, (_, glyph) => glyf.subarray(at(glyph), at(glyph + 1)));
}

const more = 0x20;

/** The glyph, and those that it is made of. */
function addWithParts(glyph: number, glyphs: readonly Uint8Array[], wanted: Set<number>): void {
  wanted.add(glyph);
  for (const { part } of partsOf(glyphs[glyph])) if (!wanted.has(part)) addWithParts(part, glyphs, wanted);
}

/** Of a glyph that is made of others; none for one with contours of its own. */
function partsOf(outline: Uint8Array): readonly { readonly part: number; readonly end: number }[] {
  if (outline.length === 0) return [];
  const view = viewOf(outline);
  if (view.getInt16(0) >= 0) return [];
  const parts: { part: number; end: number }[] = [];
  let flags = more;
  let at = 10;
  while ((flags & more) !== 0) {
    flags = view.getUint16(at);
    const part = view.getUint16(at + 2);
    // Arguments of one or two bytes each, then a scale, two, or a matrix.
    at +=
      4 +
      ((flags & 0x01) === 0 ? 2 : 4) +
      ((flags & 0x08) === 0 ? ((flags & 0x40) === 0 ? ((flags & 0x80) === 0 ? 0 : 8) : 4) : 2);
    parts.push({ part, end: at });
  }
  return parts;
}

function withoutHints(outline: Uint8Array): Uint8Array {
  if (outline.length === 0) return outline;
  const contours = viewOf(outline).getInt16(0);
  const parts = partsOf(outline);
  if (parts.length > 0) {
    // Instructions come after the last part, and each part's flags say whether there are any.
    let at = 10;
    return changed(outline.slice(0, parts[parts.length - 1].end), (view) => {
      for (const { end } of parts) {
        view.setUint16(at, view.getUint16(at) & ~0x0100);
        at = end;
      }
    });
  }
  const start = 10 + 2 * contours;
  const instructions = viewOf(outline).getUint16(start);
  return Buffer.concat([outline.subarray(0, start), new Uint8Array(2), outline.subarray(start + 2 + instructions)]);
}

function offsetsOf(outlines: readonly Uint8Array[]): Uint8Array {
  const offsets = new Uint8Array(4 * (outlines.length + 1));
  const view = viewOf(offsets);
  let end = 0;
  for (const [glyph, { length }] of outlines.entries()) view.setUint32(4 * (glyph + 1), (end += length));
  return offsets;
}

/** Glyphs that are gone have no width: rows of zeros are compressed to nothing. */
const widthsOf = (hmtx: Uint8Array, full: number, wanted: ReadonlySet<number>): Uint8Array =>
  changed(hmtx, (view) => {
    for (let glyph = 0; glyph < full; glyph += 1) if (!wanted.has(glyph)) view.setUint32(4 * glyph, 0);
  });

/** A table of format 12: runs of characters whose glyphs follow each other. */
function characterTable(characters: readonly (readonly [character: string, glyph: number])[]): Uint8Array {
  const runs: { first: number; last: number; glyph: number }[] = [];
  for (const [character, glyph] of characters.toSorted(([a], [b]) => codeOf(a) - codeOf(b))) {
    const code = codeOf(character);
    const run = runs.at(-1);
    if (run !== undefined && code === run.last + 1 && glyph === run.glyph + code - run.first) run.last = code;
    else runs.push({ first: code, last: code, glyph });
  }
  const table = new Uint8Array(12 + 16 + 12 * runs.length);
  const view = viewOf(table);
  // One encoding: Windows, all of Unicode.
  view.setUint16(2, 1);
  view.setUint16(4, 3);
  view.setUint16(6, 10);
  view.setUint32(8, 12);
  view.setUint16(12, 12);
  view.setUint32(16, table.length - 12);
  view.setUint32(24, runs.length);
  for (const [index, { first, last, glyph }] of runs.entries())
    for (const [field, value] of [first, last, glyph].entries()) view.setUint32(28 + 12 * index + 4 * field, value);
  return table;
}

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;

/** The file: a list of tables, then these, each at a multiple of four bytes. Sums of checks stay zero: nothing that draws reads them. */
function fontOf(tables: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const sorted = [...tables].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const power = Math.floor(Math.log2(sorted.length));
  const list = new Uint8Array(12 + 16 * sorted.length);
  const view = viewOf(list);
  view.setUint32(0, 0x0001_0000);
  view.setUint16(4, sorted.length);
  view.setUint16(6, 16 << power);
  view.setUint16(8, power);
  view.setUint16(10, 16 * sorted.length - (16 << power));
  const parts = [list];
  let end = list.length;
  for (const [index, [name, table]] of sorted.entries()) {
    const entry = 12 + 16 * index;
    list.set(new TextEncoder().encode(name), entry);
    view.setUint32(entry + 8, end);
    view.setUint32(entry + 12, table.length);
    const padded = new Uint8Array(4 * Math.ceil(table.length / 4));
    padded.set(table);
    parts.push(padded);
    end += padded.length;
  }
  return Buffer.concat(parts);
}
