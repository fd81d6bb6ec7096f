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
  'webview/protocol/': { ours: ['webview/protocol/', 'engine/'], packages: [] },
  'webview/': {
    ours: ['webview/', 'engine/', 'grammar/', 'inline:'],
    packages: ['@vscode/webview-ui-toolkit', 'd3-', 'uplot'],
  },
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
