import { type Command, usageFault } from '../command.ts';
import { status } from '../status.ts';

/** `mcp`: the commands as tools of the Model Context Protocol. */
export const mcpCommand: Command = {
  spec: {
    name: 'mcp',
    operands: '',
    summary: 'Serve check, fix, simulate, compare, plan, search, explain and format to agents (MCP, stdio).',
    options: [
      {
        name: 'root',
        value: 'DIR',
        doc: 'Read files below DIR only. Default: the working folder. Nothing is written.',
      },
    ],
  },
  async run(args, io, again) {
    if (args.operands.length > 0) return usageFault(io, 'mcp', 'It takes no files; the client names them.');
    // Loaded only here: other commands do not pay for the protocol.
    const { serveMcp } = await import('../mcp/serve.ts');
    await serveMcp(io, again);
    return status.fine;
  },
};
