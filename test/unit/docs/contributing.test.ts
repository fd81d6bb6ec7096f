import { describe, expect, it, test } from 'vitest';
import { choose } from '../../../scripts/checks/choose.ts';
import { quickSteps, steps, unitStep } from '../../../scripts/checks/steps.ts';
import { unitFiles } from '../../../scripts/checks/unitFiles.ts';
import { blocks, exists, textOf } from './pages.ts';

const page = textOf('CONTRIBUTING.md');
const inline = [...page.matchAll(/`((?:[A-Z_]+=\S+ )*(?:npm|npx|node) [^`\n]+)`/g)].map(([, command]) => command);
/** Every command line of the page, without its comment. */
const commandLines = [...blocks(page, '').flatMap((block) => block.trim().split('\n')), ...inline].map((line) =>
  line.replace(/\s+#.*$/, ''),
);
const { scripts } = JSON.parse(textOf('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
const tests = unitFiles().map((file) => textOf(file));

/** Words of a line: quotes hold one together. */
const wordsOf = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);

function checkVariable(assignment: string): void {
  const [name] = assignment.split('=');
  const readers = ['test/support/property.ts', 'test/support/runMultiplier.ts', 'test/browser/harness.ts'];
  const sources = [...tests, ...readers.map((file) => textOf(file))];
  const read = sources.some((text) => text.includes(`process.env['${name}']`));
  expect(read, `${name} is read`).toBe(true);
}

function checkNpm([command, ...rest]: readonly string[]): void {
  if (command === 'start') return expect(scripts).toHaveProperty('start');
  if (command === 'run') return expect(scripts).toHaveProperty([rest[0] ?? '']);
  expect(command).toBe('test');
  const files = unitFiles();
  const choice = choose(rest.slice(1), { steps, unitStep, unitFiles: files, quickSteps, quickFiles: files });
  expect(choice).not.toHaveProperty('problem');
}

function checkVitest(words: readonly string[]): void {
  const name = words.indexOf('-t');
  const paths = words.filter((word, at) => word !== 'run' && !word.startsWith('-') && (name < 0 || at !== name + 1));
  expect(paths).toHaveLength(1);
  expect(exists(paths[0] ?? ''), paths[0]).toBe(true);
  if (name < 0) return;
  const held = unitFiles().filter((file) => file.startsWith(paths[0] ?? ''));
  expect(held.some((file) => textOf(file).includes(words[name + 1] ?? ''))).toBe(true);
}

it.each(commandLines)('CONTRIBUTING.md names a command that there is: %s', (line) => {
  const words = wordsOf(line);
  const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  for (const assignment of words.slice(0, first)) checkVariable(assignment);
  const [program, ...rest] = words.slice(first);
  if (program === 'npm') return checkNpm(rest);
  if (program === 'node') return expect(exists(rest[0] ?? ''), rest[0]).toBe(true);
  expect([program, rest[0]]).toEqual(['npx', 'vitest']);
  checkVitest(rest.slice(1));
});

test('CONTRIBUTING.md shows commands of each kind', () => {
  expect(commandLines.filter((line) => line.includes('npm run')).length).toBeGreaterThan(4);
  expect(commandLines.filter((line) => line.includes('npx vitest')).length).toBeGreaterThan(6);
});

test('CONTRIBUTING.md names every step of npm test, and every variable that writes expected output', () => {
  const cells = [...page.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell]) => cell.split(', '));
  expect(steps.map(({ name }) => name).filter((name) => !cells.includes(name))).toEqual([]);
  const variables = new Set(tests.flatMap((text) => text.match(/\bUPDATE_[A-Z]+\b/g) ?? []));
  expect(variables.size).toBeGreaterThan(2);
  expect([...variables].filter((name) => !page.includes(`${name}=1`))).toEqual([]);
});

describe('.vscode', () => {
  interface Launch {
    readonly configurations: readonly {
      readonly name: string;
      readonly type: string;
      readonly port?: number;
      readonly preLaunchTask?: string;
      readonly command?: string;
      readonly program?: string;
    }[];
    readonly compounds: readonly { readonly name: string; readonly configurations: readonly string[] }[];
  }
  interface Tasks {
    readonly tasks: readonly {
      readonly label: string;
      readonly type: string;
      readonly script?: string;
      readonly problemMatcher: {
        readonly background?: { readonly beginsPattern: string; readonly endsPattern: string };
      };
    }[];
  }
  const launch = JSON.parse(textOf('.vscode/launch.json')) as Launch;
  const { tasks } = JSON.parse(textOf('.vscode/tasks.json')) as Tasks;

  it('starts tasks and configurations that there are, all of which CONTRIBUTING.md names', () => {
    const labels = tasks.map(({ label }) => label);
    const names = launch.configurations.map(({ name }) => name);
    for (const { preLaunchTask } of launch.configurations)
      if (preLaunchTask !== undefined) expect(labels).toContain(preLaunchTask);
    for (const { configurations } of launch.compounds)
      expect(names).toEqual(expect.arrayContaining([...configurations]));
    for (const name of [...names, ...launch.compounds.map((compound) => compound.name)])
      expect(page).toContain(`| ${name} |`);
    for (const { script } of tasks) if (script !== undefined) expect(scripts).toHaveProperty([script]);
  });

  it('attaches to the port at which the extension starts its server for debugging', () => {
    const port = launch.configurations.find(({ name }) => name.startsWith('Attach'))?.port;
    expect(textOf('platform/node/extension.ts')).toContain(`--inspect=${port}`);
  });

  it('waits for lines that npm run watch prints', () => {
    const background = tasks.find(({ label }) => label === 'watch')?.problemMatcher.background;
    const printed = [...textOf('scripts/build.ts').matchAll(/'(Buil[^']*)'/g)].map(([, line]) => line);
    for (const pattern of [background?.beginsPattern, background?.endsPattern])
      expect(printed.some((line) => new RegExp(pattern ?? '$^').test(line))).toBe(true);
  });
});
