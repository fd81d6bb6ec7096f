/** `ARCHITECTURE.md` says what the tests hold. `UPDATE_ARCHITECTURE=1` writes its tables of imports again. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { engineFloors } from './floors.ts';
import { importTable, tables } from './importTables.ts';
import { allowed } from './rules.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const file = path.join(root, 'ARCHITECTURE.md');
const read = (): string => readFileSync(file, 'utf8').replaceAll('\r\n', '\n');

describe.each(tables)('imports of the $title', ({ title, prefix }) => {
  const table = new RegExp(`(### Imports of the ${title}\\n\\n)(\\|[^]*?)(?=\\n\\n|\\n*$)`);
  test('are the rules that the tests hold', () => {
    if (process.env['UPDATE_ARCHITECTURE'] !== undefined)
      writeFileSync(
        file,
        read().replace(table, (_, heading: string) => `${heading}${importTable(prefix)}`),
      );
    expect(table.exec(read())?.[2]).toBe(importTable(prefix));
  });
});

test('the floors of the engine are drawn as the rules make them', () => {
  const drawing = /(### Floors of the engine\n\n[^`]*```\n)([^`]*)(?=```)/;
  const wanted = `${engineFloors()}\n`;
  if (process.env['UPDATE_ARCHITECTURE'] !== undefined)
    writeFileSync(
      file,
      read().replace(drawing, (_, heading: string) => `${heading}${wanted}`),
    );
  expect(drawing.exec(read())?.[2]).toBe(wanted);
});

test('the way from text to picture passes rooms that there are', () => {
  const [, picture = ''] = /## From text to picture\n\n```\n([^]*?)```/.exec(read()) ?? [];
  const named = picture.matchAll(/(engine|grammar|server|cli|webview)\/(\w+(?:, \w+)*)?/g);
  const rooms = Array.from(named, ([, house, names = '']) =>
    names.split(', ').map((name) => `${house}/${name}`),
  ).flat();
  expect(rooms.length).toBeGreaterThan(15);
  expect(rooms.filter((room) => !existsSync(path.join(root, room)))).toEqual([]);
});

/** Paragraphs of rooms: `**`engine/costs/`** computes …`. */
const paragraphs = [...read().matchAll(/^\*\*`([^`]+\/)`\*\* ([^]*?)(?=\n\n)/gm)].map(([, room, text]) => ({
  room,
  text,
}));

test('every room has a paragraph that says what it never does', () => {
  // Parts of a room are told with it.
  const parts = [
    'engine/network/trees/',
    'engine/network/collectives/',
    'engine/formats/toml/',
    'engine/formats/yaml/',
    'engine/planning/cost/',
  ];
  const rooms = Object.keys(allowed).filter((room) => room.endsWith('/') && !parts.includes(room));
  const told = new Set(paragraphs.map(({ room }) => room));
  expect(rooms.filter((room) => !told.has(room))).toEqual([]);
  expect(paragraphs.filter(({ text }) => !/ [Nn]ever /.test(text)).map(({ room }) => room)).toEqual([]);
  expect(paragraphs.filter(({ room }) => !existsSync(path.join(root, room)))).toEqual([]);
});

test('no section is longer than two screens', () => {
  const sections = read().split(/^## /m).slice(1);
  const long = sections.filter((section) => !section.startsWith('Imports') && section.split('\n').length > 80);
  expect(long.map((section) => section.split('\n')[0])).toEqual([]);
});
