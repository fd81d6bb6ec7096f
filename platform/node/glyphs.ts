/** Which glyph of a TrueType font draws a character (OpenType 1.9.1, table `cmap`). */

/** The tables of a font, by their names. */
export function tablesOf(font: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const view = viewOf(font);
  const tables = new Map<string, Uint8Array>();
  for (let table = 0; table < view.getUint16(4); table += 1) {
    const entry = 12 + 16 * table;
    const name = String.fromCharCode(...font.subarray(entry, entry + 4));
    const start = view.getUint32(entry + 8);
    tables.set(name, font.subarray(start, start + view.getUint32(entry + 12)));
  }
  return tables;
}

/** The number of each character's glyph. A font without a table for all of Unicode (format 12) has none. */
export function glyphsOf(font: Uint8Array): ReadonlyMap<string, number> {
  const glyphs = new Map<string, number>();
  const table = tablesOf(font).get('cmap');
  if (table === undefined) return glyphs;
  const view = viewOf(table);
  for (let encoding = 0; encoding < view.getUint16(2); encoding += 1) {
    const start = view.getUint32(8 + 8 * encoding);
    if (view.getUint16(start) !== 12) continue;
    for (let group = 0; group < view.getUint32(start + 12); group += 1) {
      const entry = start + 16 + 12 * group;
      const [first, last, glyph] = [view.getUint32(entry), view.getUint32(entry + 4), view.getUint32(entry + 8)];
      for (let code = first; code <= last; code += 1) glyphs.set(String.fromCodePoint(code), glyph + code - first);
    }
  }
  return glyphs;
}

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
