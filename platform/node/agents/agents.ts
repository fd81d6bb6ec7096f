/** The tools for agents of the editor: as a server of the Model Context Protocol if the host starts such servers, and one by one. */
import * as vscode from 'vscode';
import { environment } from '../ownProgram.ts';
import { createToolProcess, type ToolProcess } from './toolProcess.ts';

/** Functions of later editors than the oldest that is supported. */
interface LaterHost {
  readonly lm?: {
    readonly registerMcpServerDefinitionProvider?: (
      id: string,
      provider: { readonly provideMcpServerDefinitions: () => unknown[] },
    ) => vscode.Disposable;
    readonly registerTool?: (
      name: string,
      tool: { readonly invoke: (options: { readonly input: object }) => Promise<unknown> },
    ) => vscode.Disposable;
  };
  readonly McpStdioServerDefinition?: new (
    label: string,
    command: string,
    args: string[],
    environment: Record<string, string>,
    version: string,
  ) => { cwd?: vscode.Uri };
  readonly LanguageModelToolResult?: new (content: unknown[]) => unknown;
  readonly LanguageModelTextPart?: new (text: string) => unknown;
}

/** Of the manifest. */
const providerId = 'pipewright.tools';
const prefix = 'pipewright_';

export function registerAgents(context: vscode.ExtensionContext): vscode.Disposable {
  const host = vscode as unknown as LaterHost;
  const program = vscode.Uri.joinPath(context.extensionUri, 'dist', 'cli.js').fsPath;
  const server = registerServer(host, context, program);
  // Lists of tools would show each of them twice.
  if (server === undefined) void vscode.commands.executeCommand('setContext', 'pipewright.languageModelTools', true);
  return vscode.Disposable.from(...(server === undefined ? [] : [server]), ...registerTools(host, context, program));
}

/** Undefined where the host starts no servers. */
function registerServer(host: LaterHost, context: vscode.ExtensionContext, program: string) {
  const { McpStdioServerDefinition: Definition } = host;
  const { version } = context.extension.packageJSON as { readonly version: string };
  if (Definition === undefined) return undefined;
  return host.lm?.registerMcpServerDefinitionProvider?.(providerId, {
    provideMcpServerDefinitions: () =>
      folders().map(({ name, uri }, _, all) => {
        const label = all.length === 1 ? 'Pipewright' : `Pipewright (${name})`;
        const definition = new Definition(label, process.execPath, [program, 'mcp'], environment, version);
        definition.cwd = uri;
        return definition;
      }),
  });
}

/** Extensions can call them by name, even if the host starts the server. Their process starts with the first call. */
function registerTools(host: LaterHost, context: vscode.ExtensionContext, program: string): vscode.Disposable[] {
  const { LanguageModelToolResult: Result, LanguageModelTextPart: Part } = host;
  const register = host.lm?.registerTool;
  if (register === undefined || Result === undefined || Part === undefined) return [];
  const processes = new Map<string, ToolProcess>();
  const toolsOf = (folder: string): ToolProcess => {
    const known =
      processes.get(folder) ??
      createToolProcess({ command: process.execPath, args: [program, 'mcp'], folder, environment });
    processes.set(folder, known);
    return known;
  };
  const registered = toolNames(context).map((name) =>
    register(name, {
      async invoke({ input }) {
        const folder = folders()[0]?.uri.fsPath ?? context.extensionUri.fsPath;
        const { text } = await toolsOf(folder).call(name.slice(prefix.length), withUnsaved(input));
        return new Result([new Part(text)]);
      },
    }),
  );
  const processesEnd = new vscode.Disposable(() => {
    for (const each of processes.values()) each.dispose();
  });
  return [...registered, processesEnd];
}

const folders = (): readonly vscode.WorkspaceFolder[] =>
  (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');

const toolNames = ({ extension }: vscode.ExtensionContext): readonly string[] => {
  const { contributes } = extension.packageJSON as {
    readonly contributes: { readonly languageModelTools: readonly { readonly name: string }[] };
  };
  return contributes.languageModelTools.map(({ name }) => name);
};

/** A file that is open is read as it is on the screen. */
function withUnsaved(input: object): object {
  if (!('path' in input) || typeof input.path !== 'string' || 'text' in input) return input;
  const [folder] = folders();
  const uri = folder === undefined ? undefined : vscode.Uri.joinPath(folder.uri, input.path);
  const open = vscode.workspace.textDocuments.find(
    (document) => document.isDirty && [uri?.fsPath, input.path].includes(document.uri.fsPath),
  );
  return open === undefined ? input : { ...input, text: open.getText() };
}
