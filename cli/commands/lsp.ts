import { type Command, usageFault } from '../command.ts';

/** `lsp --stdio`: the language server, for any editor. */
export const lspCommand: Command = {
  spec: {
    name: 'lsp',
    operands: '',
    summary: 'Run the language server over standard input and output.',
    options: [{ name: 'stdio', doc: 'Use standard input and output (the default, and the only transport).' }],
  },
  async run(args, io) {
    if (args.operands.length > 0) return usageFault(io, 'lsp', 'It takes no files; the editor sends them.');
    // Loaded only here: the protocol library takes longer to load than most commands to run.
    const { serveStdio } = await import('../../platform/node/stdio.ts');
    const { watchClient } = await import('../../platform/node/watchdog.ts');
    process.exit(await serveStdio(process.stdin, process.stdout, watchClient));
  },
};
