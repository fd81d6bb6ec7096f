/** The editor's API, as far as previews ask for it: the build gives them this in place of `vscode`. */
export * from './values.ts';
export { window } from './window.ts';
export { commands, env, extensions, workspace } from './workspace.ts';
