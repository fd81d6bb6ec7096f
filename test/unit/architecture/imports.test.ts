import { existsSync, readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { allowed } from './rules.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(path.join(root, file)));

function ruleOf(file: string): string | undefined {
  return Object.keys(allowed)
    .filter((prefix) => file.startsWith(prefix))
    .sort((a, b) => b.length - a.length)[0];
}

interface Imported {
  readonly target: string;
  readonly typesOnly: boolean;
}

function importsOf(file: string): readonly Imported[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  const statement =
    /^(?:import|export)\s+(type\s+)?(?:([\w$*{}\s,]*?)\sfrom\s+)?['"]([^'"\n]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm;
  return Array.from(text.matchAll(statement), ([, type, names = '', from, loaded]) => {
    const listed = names
      .replaceAll(/[{}\s]+/g, ' ')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
    const typesOnly = type !== undefined || (listed.length > 0 && listed.every((name) => name.startsWith('type ')));
    return { target: from ?? loaded ?? '', typesOnly };
  });
}

const resolved = (file: string, target: string): string =>
  path.posix.normalize(path.posix.join(path.posix.dirname(file), target));

describe('who may import whom', () => {
  it('every file keeps some rule', () => {
    expect(files.filter((file) => ruleOf(file) === undefined)).toEqual([]);
  });

  it('every room of the engine, of the server and of the page has its rule', () => {
    const roots = ['engine/', 'webview/', 'server/', 'platform/'];
    const without = files.filter((file) => roots.includes(ruleOf(file) ?? '') && file.split('/').length > 2);
    expect(without).toEqual([]);
  });

  it.each(Object.keys(allowed))('%s keeps to what it is allowed', (rule) => {
    const { ours, types = [], packages = [] } = allowed[rule];
    const may = (prefixes: readonly string[], to: string) =>
      prefixes.some((prefix) => to.startsWith(prefix) || `${to}/` === prefix);
    const own = rule.endsWith('/') ? [rule] : [];
    const wrong = files
      .filter((file) => ruleOf(file) === rule)
      .flatMap((file) => importsOf(file).map((imported) => ({ file, ...imported })))
      .filter(({ file, target, typesOnly }) => {
        if (!target.startsWith('.'))
          return !packages.some((name) => target.startsWith(name)) && !ours.includes(target.slice(0, 7));
        const to = resolved(file, target);
        return !may([...own, ...ours], to) && !(typesOnly && may(types, to));
      });
    expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
  });

  it('no file is in a circle, not even of types', () => {
    const edges = new Map(
      files.map((file) => [
        file,
        importsOf(file)
          .filter(({ target }) => target.startsWith('.'))
          .map(({ target }) => resolved(file, target)),
      ]),
    );
    const state = new Map<string, 'open' | 'done'>();
    const circles: string[] = [];
    const visit = (file: string, way: readonly string[]): void => {
      if (state.get(file) === 'done') return;
      if (state.get(file) === 'open') {
        circles.push([...way.slice(way.indexOf(file)), file].join(' → '));
        return;
      }
      state.set(file, 'open');
      for (const next of edges.get(file) ?? []) if (edges.has(next)) visit(next, [...way, file]);
      state.set(file, 'done');
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });
});

it('the page carries nothing of what its worker runs', () => {
  const reached = new Set(['webview/main.ts']);
  for (const file of reached)
    for (const { target, typesOnly } of importsOf(file))
      if (!typesOnly && target.startsWith('.')) reached.add(resolved(file, target));
  const heavy = [
    'engine/policies/registry.ts',
    'engine/schedule/',
    'engine/engines/',
    'engine/findings/',
    'webview/worker/main.ts',
  ];
  const light = ['engine/schedule/deadlockSteps.ts', 'engine/schedule/addedItem.ts'];
  expect([...reached].filter((file) => !light.includes(file) && heavy.some((room) => file.startsWith(room)))).toEqual(
    [],
  );
});

describe('sizes', () => {
  it('no source file is over 600 lines', () => {
    const long = files.filter((file) => readFileSync(path.join(root, file), 'utf8').split('\n').length > 601);
    expect(long).toEqual([]);
  });

  it('half of the files have at most 80 lines and nine in ten at most 250', () => {
    const sizes = files
      .map((file) => readFileSync(path.join(root, file), 'utf8').split('\n').length)
      .sort((a, b) => a - b);
    expect(sizes[Math.floor(sizes.length * 0.5)]).toBeLessThanOrEqual(80);
    expect(sizes[Math.floor(sizes.length * 0.9)]).toBeLessThanOrEqual(250);
  });
});
