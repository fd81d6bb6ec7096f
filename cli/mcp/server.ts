/** A server of the Model Context Protocol: tools, and pages to read. */
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { RunCommand } from '../command.ts';
import type { Io } from '../io.ts';
import { version } from '../version.ts';
import { answerTool } from './answerTool.ts';
import { createResources } from './resources.ts';
import { inputSchema, outputSchema, tools } from './tools.ts';

const instructions =
  'Plans pipeline-parallel training. Start with plan (model, on, nodes, batch), or write a .pipe file and check it: explain language has the language on one page.';

/** Resources of one page of the list. */
const pageSize = 100;

export function createMcpServer(io: Io, run: RunCommand): Server {
  const resources = createResources(io);
  const server = new Server(
    { name: 'pipewright', title: 'Pipewright', version: version(io) },
    { capabilities: { tools: {}, resources: {} }, instructions },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: tools.map((tool) => ({
      name: tool.name,
      description: tool.doc,
      inputSchema: inputSchema(tool),
      outputSchema: outputSchema(tool),
      annotations: { readOnlyHint: true, openWorldHint: false },
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const { text, data, whole, mimeType, isError } = await answerTool(
      params.name,
      params.arguments ?? {},
      { io, run },
      (stop) => mcpReq.signal.addEventListener('abort', stop),
    );
    if (isError === true || data === undefined) return { content: [{ type: 'text', text }], isError: true };
    const link = whole === undefined ? undefined : resources.keep(whole, mimeType ?? 'application/json');
    return {
      content: [{ type: 'text', text }, ...(link === undefined ? [] : [{ type: 'resource_link' as const, ...link }])],
      structuredContent: { ...data },
    };
  });
  server.setRequestHandler('resources/list', ({ params }) => {
    const from = Number(params?.cursor ?? 0);
    const all = resources.list();
    const next = from + pageSize;
    return { resources: [...all.slice(from, next)], ...(next < all.length ? { nextCursor: String(next) } : {}) };
  });
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const found = resources.read(uri);
    if (found === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such resource. Old answers are dropped.');
    return { contents: [{ uri, ...found }] };
  });
  return server;
}
