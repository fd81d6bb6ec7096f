/** The server as a process of its own, over what its arguments name: `--stdio`, `--node-ipc`, `--socket=…` or `--pipe=…`. */
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { docsFolder } from './docs.ts';
import { startServer } from './server.ts';

startServer(createConnection(ProposedFeatures.all), { docs: docsFolder() });
