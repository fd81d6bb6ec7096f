import { globSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { blocks, docs, exists, repository, textOf } from './pages.ts';

/** Guides for those who change the project; the others are for its users. */
const guides = readdirSync(join(docs, 'contribute'))
  .filter((name) => name.startsWith('adding-'))
  .map((name) => name.replace(/\.md$/, ''));
const guideText = (guide: string): string => textOf(`docs/contribute/${guide}.md`);

const rooms = '{grammar,engine,server,client,cli,webview,test/unit,test/support}';
const sources = globSync(`${rooms}/**/*.ts`, {
  cwd: repository,
  exclude: (name) => name.split(/[\\/]/).includes('node_modules'),
}).map((path) => path.replaceAll('\\', '/'));
/** Every constant, function, type and member that the code declares. */
const declarations: ReadonlySet<string> = new Set(
  sources.flatMap((path) =>
    [
      ...textOf(path).matchAll(
        /\b(?:const|let|function\*?|interface|type) (\w+)|^ +(?:readonly |async )?(\w+)\??[:(,]/gm,
      ),
    ].flatMap(([, declared, member]) => declared ?? member ?? []),
  ),
);

/** Code in the running text of a page. */
const codeOf = (text: string): readonly string[] =>
  [...text.replaceAll(/^(`{3,})[^`]*?^[^]*?^\1$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code]) => code);

/** A name that the reader fills in. */
const open = /NAME|BLOCK|CODE|FILE/;

/** Members of an interface, as a file declares it. */
function membersOf(file: string, name: string): readonly string[] {
  const contract = new RegExp(`^export interface ${name} \\{$([^]*?)^\\}$`, 'm').exec(textOf(file))?.[1] ?? '';
  return [...contract.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, member]) => member);
}

test.each([
  ['adding-a-policy', 'engine/policies/policy.ts', 'Policy', 'weights'],
  ['adding-a-shape', 'engine/costs/shape.ts', 'ShapeSchema', 'check'],
  ['adding-a-shape', 'engine/costs/types.ts', 'ShapeCost', 'kernels'],
  ['adding-an-optimizer', 'engine/costs/optimizer/recipe.ts', 'OptimizerRecipe', 'with'],
  ['adding-an-optimizer', 'engine/costs/optimizer/recipe.ts', 'ParameterBytes', 'moved'],
  ['adding-an-optimizer', 'engine/costs/optimizer/recipe.ts', 'MovedBytes', 'gathered'],
  ['adding-a-device', 'engine/std/device.ts', 'DeviceFigures', 'computeAt'],
  ['adding-a-device', 'engine/std/link.ts', 'LinkFigures', 'reached'],
])('the guide %s names every member of %s: %s', (guide, file, name, known) => {
  const members = membersOf(file, name);
  expect(members).toContain(known);
  const text = guideText(guide);
  expect(members.filter((member) => !new RegExp(`\\b${member}\\b`).test(text))).toEqual([]);
});

test.each([
  ['adding-a-shape', ['engine/costs/linear.ts']],
  ['adding-an-optimizer', ['engine/costs/optimizer.ts']],
  ['adding-a-device', ['engine/std/otherDevices.ts']],
  ['adding-a-diagnostic', ['engine/analyze/scheduleFindings.ts', 'test/unit/flow/resolve/findings.test.ts']],
  ['adding-a-key', ['engine/read/fill.ts', 'test/unit/flow/resolve/findings.test.ts']],
])('the code in the guide %s is that of %s', (guide, files) => {
  const shown = blocks(guideText(guide), 'ts').flatMap((block) => block.trim().split('\n'));
  const lines = new Set(
    files.flatMap((file) =>
      textOf(file)
        .split('\n')
        .map((line) => line.trim().replace(/,$/, '')),
    ),
  );
  expect(shown).not.toEqual([]);
  expect(shown.map((line) => line.trim().replace(/,$/, '')).filter((line) => !lines.has(line))).toEqual([]);
});

test.each(['CONTRIBUTING.md', 'ARCHITECTURE.md'])('%s links every guide', (page) => {
  expect(guides.length).toBeGreaterThan(6);
  expect(guides.filter((guide) => !textOf(page).includes(`(docs/contribute/${guide}.md)`))).toEqual([]);
});

describe.each(guides)('the guide %s', (guide) => {
  const text = guideText(guide);
  const code = codeOf(text);

  test('names files and folders that exist', () => {
    const paths = code.filter((path) => /^[\w.-]+(\/[\w.-]*)+$/.test(path) && /\.\w+$|\/$/.test(path));
    expect(paths.length).toBeGreaterThan(3);
    expect(paths.filter((path) => !open.test(path) && !exists(path))).toEqual([]);
    const names = code.filter((name) => /^[\w.]+\.ts$/.test(name) && !open.test(name));
    expect(names.filter((name) => !sources.some((path) => path.endsWith(`/${name}`)))).toEqual([]);
  });

  test('asks for new files in folders that exist', () => {
    const asked = code.filter((path) => /^\w+\//.test(path) && /\/[A-Z]+\.\w+$/.test(path));
    const folders = asked.map((path) => path.slice(0, path.lastIndexOf('/')));
    expect(folders.filter((folder) => !open.test(folder) && !exists(folder))).toEqual([]);
  });

  test('names things that the code declares', () => {
    const names = code.flatMap((span) => /^([a-zA-Z]\w*)(?:\(.*\))?$/.exec(span)?.[1] ?? []);
    const ofCode = names.filter((name) => /[a-z][A-Z]|^[A-Z][a-z]/.test(name));
    expect(ofCode.filter((name) => !declarations.has(name))).toEqual([]);
  });

  test('finds each thing in the file that it names with it', () => {
    const pairs = [...text.matchAll(/`(\w+)`(?: \(| of | in )`((?:[\w.-]+\/)+[\w.-]+\.ts)`/g)];
    const strays = pairs.filter(
      ([, name, file]) => !open.test(file) && !new RegExp(`\\b${name}\\b`).test(textOf(file)),
    );
    expect(strays.map(([pair]) => pair)).toEqual([]);
  });

  test('runs TypeScript with the Node of the repository: the system may have an older one', () => {
    const commands = [...code, ...blocks(text, '').flatMap((block) => block.trim().split('\n'))];
    const scripts = commands.filter((command) => /\bnode \S+\.ts\b/.test(command));
    expect(scripts.filter((command) => !command.startsWith('npx node '))).toEqual([]);
    const files = scripts.flatMap((command) => /\S+\.ts\b/.exec(command)?.[0] ?? []);
    expect(files.filter((file) => !exists(file))).toEqual([]);
  });

  test('ends its steps with commands that run', () => {
    const lines = blocks(text, '').flatMap((block) => block.trim().split('\n'));
    expect(lines).toContain('npm test -- quick');
    expect(lines.some((line) => line.startsWith('npx vitest run '))).toBe(true);
    for (const line of lines) {
      expect(line).toMatch(/^(UPDATE_\w+=1 )?(npx vitest run test|npx node cli\/main\.ts \w|npm test -- quick$)/);
      const paths = line.split(' ').filter((word) => /^(test|examples)\//.test(word) && !open.test(word));
      expect(
        paths.filter((path) => !exists(path)),
        line,
      ).toEqual([]);
    }
  });
});
