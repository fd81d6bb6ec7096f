/** What `@vscode/test-electron` passes to the desktop editor, as far as a test run needs it. */
export interface HostArguments {
  readonly developmentPaths: readonly string[];
  readonly testsPath: string;
  /** File or folder to open. */
  readonly open?: string;
  readonly disableExtensions: boolean;
}

const withValue = new Set([
  'extensionDevelopmentPath',
  'extensionTestsPath',
  'user-data-dir',
  'extensions-dir',
  'folder-uri',
  'timeout',
]);

export function readHostArguments(argv: readonly string[]): HostArguments {
  const options: [string, string][] = [];
  const operands: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    const [, key = '', given] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (key === '') operands.push(word);
    else if (given !== undefined) options.push([key, given]);
    else if (withValue.has(key)) options.push([key, argv[(index += 1)] ?? '']);
    else options.push([key, 'true']);
  }
  const all = (key: string) => options.filter(([name]) => name === key).map(([, value]) => value);
  const testsPath = all('extensionTestsPath').at(-1);
  if (testsPath === undefined) throw new Error('Only runs with --extensionTestsPath are supported.');
  return {
    developmentPaths: all('extensionDevelopmentPath'),
    testsPath,
    open: operands[0],
    disableExtensions: all('disable-extensions').length > 0,
  };
}
