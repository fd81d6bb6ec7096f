import { existsSync, readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(path.join(root, file)));

/** What each folder may import: folders of ours, then packages (`node:` for Node's own). The longest prefix of a file counts. */
const allowed: Readonly<Record<string, { readonly ours: readonly string[]; readonly packages: readonly string[] }>> = {
  'grammar/': { ours: ['grammar/'], packages: ['chevrotain'] },
  'engine/formats/yaml/': { ours: ['engine/formats/'], packages: ['yaml'] },
  'engine/': { ours: ['engine/', 'grammar/'], packages: [] },
  'server/': {
    ours: ['server/', 'engine/', 'grammar/', 'webview/protocol/'],
    packages: ['node:', 'vscode-languageserver', 'vscode-uri'],
  },
  'client/': {
    ours: ['client/', 'webview/protocol/'],
    packages: ['node:', 'vscode', 'vscode-languageclient', 'vscode-uri'],
  },
  // The rooms of the preview page, each after those that it may use.
  'webview/protocol/': { ours: ['webview/protocol/', 'engine/'], packages: [] },
  'webview/picture/': { ours: ['webview/picture/', 'engine/'], packages: [] },
  'webview/worker/': {
    ours: ['webview/worker/', 'webview/picture/', 'webview/protocol/messages.ts', 'engine/'],
    packages: [],
  },
  'webview/controls/': { ours: ['webview/controls/', 'engine/'], packages: ['@vscode/webview-ui-toolkit'] },
  'webview/session/': {
    ours: [
      'webview/session/',
      'webview/picture/',
      'webview/protocol/',
      'webview/worker/messages.ts',
      'engine/',
      'inline:',
    ],
    packages: [],
  },
  'webview/view/scene/': {
    ours: [
      'webview/view/scene/',
      'webview/session/',
      'webview/picture/',
      'webview/protocol/messages.ts',
      'webview/worker/palette.ts',
      'engine/',
    ],
    packages: [],
  },
  'webview/view/paint/': {
    ours: ['webview/view/paint/', 'webview/view/scene/', 'webview/session/', 'webview/picture/', 'engine/'],
    packages: ['d3-scale'],
  },
  'webview/view/panels/': {
    ours: [
      'webview/view/panels/',
      'webview/view/scene/',
      'webview/controls/',
      'webview/session/',
      'webview/picture/',
      'webview/protocol/messages.ts',
      'engine/',
    ],
    packages: [],
  },
  'webview/view/': {
    ours: [
      'webview/view/',
      'webview/controls/',
      'webview/session/',
      'webview/picture/',
      'webview/worker/messages.ts',
      'webview/worker/palette.ts',
      'engine/',
    ],
    packages: [],
  },
  'webview/input/': {
    ours: ['webview/input/', 'webview/view/', 'webview/session/', 'webview/picture/', 'webview/protocol/', 'engine/'],
    packages: ['d3-'],
  },
  'webview/': { ours: ['webview/'], packages: [] },
  'cli/': {
    ours: ['cli/', 'engine/', 'grammar/', 'server/'],
    packages: ['node:', 'picocolors', 'vscode-languageserver'],
  },
};

function rulesOf(file: string) {
  const prefix = Object.keys(allowed)
    .filter((one) => file.startsWith(one))
    .sort((a, b) => b.length - a.length)[0];
  return prefix === undefined ? undefined : allowed[prefix];
}

function importsOf(file: string): string[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  const statement = /^(?:import|export)\s+(?:[\w$*{}\s,]*?\sfrom\s+)?['"]([^'"\n]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm;
  return [...text.matchAll(statement)].map((match) => match[1] ?? match[2]);
}

describe('who may import whom', () => {
  it.each(Object.keys(allowed))('%s keeps to what it is allowed', (folder) => {
    const wrong = files
      .filter((file) => file.startsWith(folder) && rulesOf(file) === allowed[folder])
      .flatMap((file) => importsOf(file).map((target) => ({ file, target })))
      .filter(({ file, target }) => {
        const { ours, packages } = allowed[folder];
        if (!target.startsWith('.'))
          return (
            !packages.some((name) => target === name || target.startsWith(name)) && !ours.includes(target.slice(0, 7))
          );
        const resolved = path.posix.normalize(path.posix.join(path.posix.dirname(file), target));
        return !ours.some((prefix) => resolved.startsWith(prefix) || `${resolved}/` === prefix);
      });
    expect(wrong).toEqual([]);
  });
});

/** Files of a folder that import one another in a circle, types included; each circle once, from its first file. */
function circles(folder: string): string[] {
  const found = new Set<string>();
  const done = new Set<string>();
  const visit = (file: string, importers: readonly string[]): void => {
    const at = importers.indexOf(file);
    if (at >= 0) {
      const circle = importers.slice(at);
      const first = circle.indexOf([...circle].sort()[0]);
      found.add([...circle.slice(first), ...circle.slice(0, first)].join(' → '));
      return;
    }
    if (done.has(file)) return;
    for (const target of importsOf(file)) {
      const imported = path.posix.normalize(path.posix.join(path.posix.dirname(file), target));
      if (target.startsWith('.') && imported.startsWith(folder) && imported.endsWith('.ts'))
        visit(imported, [...importers, file]);
    }
    done.add(file);
  };
  for (const file of files) if (file.startsWith(folder)) visit(file, []);
  return [...found];
}

describe('rooms of the preview page', () => {
  it('each has its rule', () => {
    const withoutRule = files.filter(
      (file) =>
        /^webview\/.+\//.test(file) && !file.startsWith('webview/build/') && rulesOf(file) === allowed['webview/'],
    );
    expect(withoutRule).toEqual([]);
  });

  it('import one another in no circle, not of types either', () => {
    expect(circles('webview/')).toEqual([]);
  });
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
