/** Reads the `collective` key of a pipeline. */
import type { Argument, Call, Expression } from '../../grammar/syntax.ts';
import { type CollectiveUse, findCollective, type NcclAlgorithm, ncclAlgorithms } from '../exchange/collectives.ts';
import { readCallTable } from '../formats/callTable.ts';
import { readCallee } from '../language/callee.ts';
import { quantity, wholeNumber } from '../language/expressions.ts';
import { bindArguments } from './arguments.ts';
import type { ReadContext } from './context.ts';
import { readLink } from './link.ts';
import { readSourceFile, reportFaults } from './sourceFile.ts';
import { asWritten } from '../language/canonical.ts';

type Table = NonNullable<CollectiveUse['table']>;

/** `ring`, `ps(servers = 4, link = 25GB/s)`, `table("file")`; `undefined` where it is wrong, which has been reported. */
export function readCollective(context: ReadContext, expression: Expression): CollectiveUse | undefined {
  if (expression.kind === 'group') return readCollective(context, expression.inner);
  const name = readCallee(context, expression, 'a collective such as `ring` or `ps`');
  const schema = name === undefined || !context.links.has(name) ? undefined : findCollective(name.text);
  if (name === undefined || schema === undefined) return undefined;
  if (schema.name === 'table') return readTable(context, expression, name);
  const names = schema.parameters.map((parameter) => parameter.name);
  const bound =
    expression.kind === 'call' ? bindArguments(context, expression, schema.name, names) : new Map<string, Argument>();
  if (bound === undefined) return undefined;
  const call = readCall(context, bound);
  const servers = readServers(context, bound.get('servers'), schema.name === 'ps' ? 1 : 0);
  const link = readServerLink(context, bound.get('link'));
  const channels = readChannels(context, bound.get('channels'));
  const algorithm = readAlgorithm(context, bound.get('algorithm'));
  const colocated = readFlag(context, bound.get('colocated'), ['true', 'false']);
  const factors = readFlag(context, bound.get('push'), ['factors', 'gradients']);
  if (call === undefined || servers === undefined || link === undefined || channels === undefined) return undefined;
  if (algorithm === undefined) return undefined;
  if (colocated === undefined || factors === undefined) return undefined;
  const away = bound.get('link') ?? bound.get('servers');
  if (colocated && away !== undefined) {
    context.report.report('type/mismatch', away, {
      expected: 'no other servers: with `colocated = true` each worker is a server',
      found: `"${bound.has('link') ? 'link' : 'servers'}"`,
    });
    return undefined;
  }
  return {
    name: schema.name,
    call,
    ...servers,
    ...link,
    ...channels,
    ...algorithm,
    ...(colocated ? { colocated } : {}),
    ...(factors ? { factors } : {}),
  };
}

/** Seconds of a call; 0 where none are written. */
function readCall(context: ReadContext, bound: ReadonlyMap<string, Argument>): number | undefined {
  const argument = bound.get('call');
  if (argument === undefined) return 0;
  return quantity(context, argument.value, { kind: 'quantity', dimension: 'time', min: 0 }, 'The time of a call');
}

function readServers(
  context: ReadContext,
  argument: Argument | undefined,
  min: number,
): Pick<CollectiveUse, 'servers'> | undefined {
  if (argument === undefined) return {};
  const servers = wholeNumber(context, argument.value, 'The number of servers', { min });
  return servers === undefined ? undefined : { servers };
}

function readChannels(
  context: ReadContext,
  argument: Argument | undefined,
): Pick<CollectiveUse, 'channels'> | undefined {
  if (argument === undefined) return {};
  const channels = wholeNumber(context, argument.value, 'The number of channels', { min: 1 });
  return channels === undefined ? undefined : { channels };
}

function readServerLink(context: ReadContext, argument: Argument | undefined): Pick<CollectiveUse, 'link'> | undefined {
  if (argument === undefined) return {};
  const link = readLink(context, argument.value);
  if (link === undefined) return undefined;
  const { bandwidth, latency, sharing } = link;
  return { link: { bandwidth, latency, ...(sharing === 'full' ? {} : { half: true }) } };
}

function readAlgorithm(
  context: ReadContext,
  argument: Argument | undefined,
): { readonly algorithm?: NcclAlgorithm } | undefined {
  if (argument === undefined) return {};
  const { value } = argument;
  const algorithm = value.kind === 'name' ? ncclAlgorithms.find((word) => word === value.text) : undefined;
  if (algorithm !== undefined) return { algorithm };
  // A name that is not known has been reported.
  if (value.kind !== 'name' || context.links.has(value))
    context.report.report('type/mismatch', value, {
      expected: ncclAlgorithms.map((word) => `\`${word}\``).join(', '),
      found: asWritten(context, value),
    });
  return undefined;
}

/** Whether an argument has the first of two words; false where it is not written. */
function readFlag(
  context: ReadContext,
  argument: Argument | undefined,
  [yes, no]: readonly [string, string],
): true | false | undefined {
  if (argument === undefined) return false;
  const { value } = argument;
  if (value.kind === 'name' && (value.text === yes || value.text === no)) return value.text === yes;
  // A name that is not known has been reported.
  if (value.kind !== 'name' || context.links.has(value))
    context.report.report('type/mismatch', value, {
      expected: `\`${yes}\` or \`${no}\``,
      found: asWritten(context, value),
    });
  return undefined;
}

const contents = 'Each line of a table has bytes and seconds, such as `1048576, 0.0002`.';

/** `table("calls.csv", call = 20us)` */
function readTable(context: ReadContext, expression: Expression, name: Call['callee']): CollectiveUse | undefined {
  if (expression.kind !== 'call') {
    context.report.report('key/missing', name, { key: 'file', block: 'call to table', example: 'table("FILE")' });
    return undefined;
  }
  const file = readSourceFile(context, expression, ['call'], contents);
  if (file === undefined) return undefined;
  const call = readCall(context, file.arguments ?? new Map<string, Argument>());
  const read = readCallTable(file.text);
  if ('faults' in read) {
    reportFaults(context, file, read.faults);
    return undefined;
  }
  return call === undefined ? undefined : { name: 'table', call, table: read satisfies Table };
}
