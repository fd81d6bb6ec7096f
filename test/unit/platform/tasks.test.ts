/** The tasks that the extension offers, in an editor that has what they need of its API. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { afterAll, expect, test } from 'vitest';
import { builtCommand } from '../../support/builtCommand.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const folder = mkdtempSync(path.join(tmpdir(), 'pipewright-tasks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Execution {
  readonly process: string;
  readonly args: readonly string[];
  readonly options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> };
}
interface Task {
  readonly definition: { readonly type: string; readonly files?: readonly string[] };
  readonly name: string;
  readonly execution: Execution;
  readonly matcher: string;
}
interface Provider {
  provideTasks(): Promise<readonly Task[]>;
  resolveTask(task: object): Promise<Task | undefined>;
}

/** The provider, in an editor with this folder. */
async function providerIn(names: readonly string[]): Promise<Provider> {
  let provider: Provider | undefined;
  const workspaceFolder = { uri: { scheme: 'file', fsPath: folder } };
  const editor = {
    Uri: { joinPath: (_: unknown, ...parts: readonly string[]) => ({ fsPath: parts.join('/') }) },
    // Constructors, which give what they are called with.
    RelativePattern: function pattern() {},
    ProcessExecution: function execution(process: string, args: readonly string[], options: object) {
      return { process, args, options };
    },
    Task: function task(
      definition: object,
      _scope: unknown,
      name: string,
      _source: string,
      ...rest: readonly unknown[]
    ) {
      const [execution, matcher] = rest;
      return { definition, name, execution, matcher };
    },
    TaskGroup: {},
    TaskRevealKind: {},
    tasks: {
      registerTaskProvider(_type: string, given: Provider) {
        provider = given;
      },
    },
    workspace: {
      workspaceFolders: [workspaceFolder],
      findFiles: () => Promise.resolve(names),
      asRelativePath: (name: string) => name,
    },
  };
  const { outputFiles } = await esbuild.build({
    entryPoints: [path.join(root, 'platform', 'node', 'tasks.ts')],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    external: ['vscode'],
  });
  const module = { exports: {} as { registerTasks(context: object): void } };
  const require = (name: string): unknown => (name === 'vscode' ? editor : createRequire(import.meta.url)(name));
  new Function('module', 'exports', 'require', outputFiles[0].text)(module, module.exports, require);
  module.exports.registerTasks({ extensionUri: {} });
  if (provider === undefined) throw new Error('No tasks are offered.');
  return provider;
}

const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  readonly contributes: {
    readonly taskDefinitions: readonly { readonly type: string; readonly properties: object }[];
    readonly problemMatchers: readonly { readonly name: string }[];
  };
};

test('a folder with .pipe files has a task for all of them and one for the open file', async () => {
  const [all, open] = await (await providerIn(['b.pipe', 'a.pipe'])).provideTasks();
  expect(all.execution.args.slice(1)).toEqual(['check', 'a.pipe', 'b.pipe']);
  expect(open.execution.args.slice(1)).toEqual(['check', '${file}']);
  const [{ type, properties }] = manifest.contributes.taskDefinitions;
  for (const { definition, matcher } of [all, open]) {
    const { type: itsType, ...rest } = definition;
    expect(itsType).toBe(type);
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(rest)));
    expect(matcher).toBe(`$${manifest.contributes.problemMatchers[0]?.name}`);
  }
  expect(await (await providerIn([])).provideTasks()).toEqual([]);
});

test('a task of tasks.json checks its files, by default all of the folder', async () => {
  const provider = await providerIn(['a.pipe', 'b.pipe']);
  const resolved = async (definition: object) =>
    (await provider.resolveTask({ name: 'mine', definition, scope: undefined }))?.execution.args.slice(1);
  expect(await resolved({ type: 'pipewright', files: ['b.pipe'] })).toEqual(['check', 'b.pipe']);
  expect(await resolved({ type: 'pipewright' })).toEqual(['check', 'a.pipe', 'b.pipe']);
});

test('what a task runs reports the findings of a file', async () => {
  writeFileSync(path.join(folder, 'a.pipe'), 'device d { memory = 80Gib }\n');
  const [{ execution }] = await (await providerIn(['a.pipe'])).provideTasks();
  expect(execution.args[0]).toBe('dist/cli.js');
  const { status, stdout } = spawnSync(execution.process, [await builtCommand(), ...execution.args.slice(1)], {
    cwd: execution.options.cwd,
    env: { ...process.env, ...execution.options.env },
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stdout).toMatch(/^error\[syntax\/unit\]: [^\n]+\n +--> a\.pipe:1:21$/m);
});
