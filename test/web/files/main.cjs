// A file system over the files of the test's server. What is written stays in memory.
const vscode = require('vscode');

exports.activate = (context) => {
  const base = new URL('/files', context.extensionUri.toString(true)).href;
  const written = new Map();
  const changed = new vscode.EventEmitter();
  const get = async (uri, query) => {
    const answer = await fetch(base + uri.path + query);
    if (!answer.ok) throw vscode.FileSystemError.FileNotFound(uri);
    return answer;
  };
  const provider = {
    onDidChangeFile: changed.event,
    watch: () => ({ dispose() {} }),
    stat: async (uri) =>
      written.has(uri.path)
        ? { type: 1, ctime: 0, mtime: Date.now(), size: written.get(uri.path).length }
        : (await get(uri, '?stat')).json(),
    readDirectory: async (uri) => (await get(uri, '?readdir')).json(),
    readFile: async (uri) => written.get(uri.path) ?? new Uint8Array(await (await get(uri, '')).arrayBuffer()),
    writeFile: (uri, content) => {
      written.set(uri.path, content);
      changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    },
    createDirectory() {},
    delete() {},
    rename() {},
  };
  context.subscriptions.push(
    vscode.workspace.registerFileSystemProvider('testfs', provider, { isCaseSensitive: true }),
  );
};
