/** What the manifest offers before there is a file. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { coloursFor } from '../../../cli/colours.ts';
import { findingText, sourceOf } from '../../../cli/output/findingText.ts';
import { analyse, analyseExample } from '../../support/analyse.ts';
import { call, worldOf } from '../cli/harness.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const { contributes } = JSON.parse(read('package.json')) as {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly menus: Readonly<Record<string, readonly { readonly command: string }[]>>;
    readonly snippets: readonly { readonly path: string }[];
    readonly walkthroughs: readonly {
      readonly steps: readonly { readonly description: string; readonly media: { readonly markdown: string } }[];
    }[];
    readonly languages: readonly { readonly icon: Readonly<Record<string, string>> }[];
    readonly problemMatchers: readonly { readonly pattern: readonly { readonly regexp: string }[] }[];
  };
};

test('every step of the walkthrough has its page, and its links are commands of the manifest', () => {
  const commands = new Set(contributes.commands.map(({ command }) => command));
  const steps = contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps);
  expect(steps.length).toBe(4);
  for (const { description, media } of steps) {
    expect(existsSync(path.join(root, media.markdown))).toBe(true);
    const linked = [...description.matchAll(/\(command:([\w.]+)\)/g)].map(([, command]) => command);
    expect(linked.length).toBeGreaterThan(0);
    expect(linked.filter((command) => !commands.has(command))).toEqual([]);
  }
  for (const { command } of contributes.menus['file/newFile'] ?? []) expect(commands.has(command)).toBe(true);
  for (const icon of Object.values(contributes.languages[0]?.icon ?? {}))
    expect(read(icon)).toMatch(/^<svg [^>]*viewBox="0 0 16 16"/);
});

test('every snippet is a text without an error', () => {
  const snippets = Object.values(
    JSON.parse(read(contributes.snippets[0]?.path ?? '')) as Record<string, { readonly body: readonly string[] }>,
  );
  expect(snippets.length).toBe(3);
  for (const { body } of snippets) {
    const values = new Map<string, string>();
    const first = body.join('\n').replaceAll(/\$\{(\d+):([^}]*)\}/g, (_, place: string, value: string) => {
      values.set(place, value);
      return value;
    });
    const text = first.replaceAll(/\$\{?(\d+)\}?/g, (_, place: string) => values.get(place) ?? '');
    const errors = analyse(text).findings.filter(({ severity }) => severity === 'error');
    expect([text, errors.map(({ message }) => message)]).toEqual([text, []]);
  }
});

test('the problem matcher finds each finding of check with its place', async () => {
  // Better policies for the pipelines of the example take seconds, so its findings are printed as `check` prints them.
  const { syntax, findings } = analyseExample('broken.pipe');
  const source = sourceOf('broken.pipe', syntax.text);
  const printed = findings.map((found) => findingText(found, source, coloursFor(worldOf().io), (uri) => uri));
  const one = 'let spare =\n';
  const { out: checked } = await call(['check', 'one-broken.pipe'], { files: { 'one-broken.pipe': one } });
  const out = `${checked}${printed.join('\n')}`;
  const [head, place] = (contributes.problemMatchers[0]?.pattern ?? []).map(({ regexp }) => new RegExp(regexp));
  const lines = out.split('\n');
  const found = lines.flatMap((line, at) => {
    const [, severity, code] = head?.exec(line) ?? [];
    const [, file, row] = place?.exec(lines[at + 1] ?? '') ?? [];
    return severity === undefined ? [] : [{ severity, code, file, row }];
  });
  expect(found.length).toBe((out.match(/^ +--> /gm) ?? []).length);
  expect(found.length).toBeGreaterThan(findings.length);
  expect(found.length).toBeGreaterThan(50);
  for (const { file, row } of found) {
    expect(file).toMatch(/broken\.pipe$/);
    expect(Number(row)).toBeGreaterThan(0);
  }
});
