// Runs inside the extension host of the editor for the web.
const vscode = require('vscode');

const { workspace, languages, commands, window, Uri, Position } = vscode;
/** Every list of findings that was shown, by the path of its file: what flashed up is in one of them. */
const shown = new Map();

const codeOf = ({ code }) => String(code?.value ?? code);

/** Waits for what `find` gives once it is there. The run as a whole has a limit. */
async function eventually(find) {
  for (;;) {
    const found = await find();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function check(holds, message) {
  if (!holds) throw new Error(message);
  console.log(`✓ ${message}`);
}

const codes = (uri) => languages.getDiagnostics(uri).map(codeOf);

exports.run = async () => {
  const root = workspace.workspaceFolders[0].uri;
  const at = (name) => Uri.joinPath(root, name);
  const open = async (name) => {
    await window.showTextDocument(await workspace.openTextDocument(at(name)));
    return at(name);
  };
  languages.onDidChangeDiagnostics(({ uris }) => {
    for (const uri of uris) shown.set(uri.path, [...(shown.get(uri.path) ?? []), codes(uri)]);
  });
  check(vscode.env.uiKind === vscode.UIKind.Web && typeof process === 'undefined', 'the extension runs in a browser');

  await vscode.extensions.getExtension('pipewright.pipewright').activate();
  check(true, 'the extension starts');
  const broken = await open('broken.pipe');
  await eventually(() => codes(broken).length > 20);
  check(true, 'a file of another scheme has its findings');

  const uses = await open('imports.pipe');
  await eventually(() => codes(uses).includes('schedule/bubble'));
  const flashed = (shown.get(uses.path) ?? [])
    .flat()
    .filter((code) => code.startsWith('import/') || code.startsWith('name/'));
  check(flashed.length === 0, `findings wait for imported files: ${flashed.join(', ') || 'none was false'}`);

  const text = new TextDecoder().decode(await workspace.fs.readFile(at('shared.pipe')));
  await workspace.fs.writeFile(at('shared.pipe'), new TextEncoder().encode(text.replace('model toy', 'model other')));
  await eventually(() => codes(uses).includes('name/unknown'));
  check(true, 'a change of an imported file is seen');
  await workspace.fs.writeFile(at('shared.pipe'), new TextEncoder().encode(text));
  await eventually(() => !codes(uses).includes('name/unknown'));

  const document = await workspace.openTextDocument(uses);
  const nameAt = document.positionAt(document.getText().indexOf('toy'));
  const definitions = await commands.executeCommand('vscode.executeDefinitionProvider', uses, nameAt);
  check(
    definitions.some((found) => (found.targetUri ?? found.uri).path.endsWith('/shared.pipe')),
    'a definition leads to an imported file',
  );
  const path = document.positionAt(document.getText().indexOf('shared.pipe'));
  const offers = await commands.executeCommand('vscode.executeCompletionItemProvider', uses, path);
  check(
    offers.items.some(({ label }) => (typeof label === 'string' ? label : label.label).includes('shared.pipe')),
    'paths of imports are offered',
  );

  const quickstart = await open('quickstart.pipe');
  await eventually(() => codes(quickstart).length > 0);
  const hovers = await commands.executeCommand('vscode.executeHoverProvider', quickstart, new Position(4, 8));
  check(hovers.length > 0, 'a hover says something');

  for (const [format, name, begins] of [
    ['svg', 'figure.svg', '<?xml'],
    ['html', 'page.html', '<!DOCTYPE html>'],
  ]) {
    await commands.executeCommand('pipewright.exportTimeline', quickstart, undefined, { format, target: at(name) });
    const written = new TextDecoder().decode(await workspace.fs.readFile(at(name)));
    check(written.length > 10_000 && written.startsWith(begins), `a pipeline is exported as ${format}`);
  }

  await open('imports.pipe');
  await commands.executeCommand('pipewright.openPreview');
  // The page of the preview draws it.
  await commands.executeCommand('pipewright.exportTimeline', uses, undefined, {
    format: 'png',
    target: at('figure.png'),
  });
  const png = await workspace.fs.readFile(at('figure.png'));
  check(png.length > 10_000 && String.fromCharCode(...png.slice(1, 4)) === 'PNG', 'a pipeline is exported as png');
  // The extensions end with this suite: it ends when the preview has been looked at.
  const isThere = (uri) =>
    workspace.fs.stat(uri).then(
      () => true,
      () => false,
    );
  await eventually(() => isThere(at('seen')));
};
