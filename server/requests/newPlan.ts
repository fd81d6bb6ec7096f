import { defaultOptions, type EngineHost } from '../../engine/basics/host.ts';
import { plainFile } from '../../engine/sweep/plainFile.ts';
import { clusterImport, modelImport, nodesParam, standardParts } from '../../engine/language/standardParts.ts';
import type { Exported } from '../../engine/language/exported.ts';
import type { NewPlanAnswer, NewPlanChoices, NewPlanRequest } from '../../webview/protocol/requests.ts';

/** What a new file can plan: models and clusters of the standard library. */
export function newPlanChoices(): NewPlanChoices {
  // Up to the full stop: the one in `Llama 3.1` has no space behind it.
  const choice = ({ name, doc = '' }: Exported) => ({ name, about: /^.*?(?=\.(?: |$)|$)/m.exec(doc)?.[0] ?? '' });
  return {
    models: standardParts('model').map(choice),
    clusters: standardParts('cluster').map((each) => ({ ...choice(each), sized: nodesParam(each.name) !== undefined })),
  };
}

/** Nothing but the standard library is read. */
const host: EngineHost = { resolve: (path) => path, read: () => ({ problem: 'not-found' }) };

/** A file with a pipeline of a model on a cluster, with ranks from which a search may start. */
export function newPlan({ model, cluster, nodes, batch, engine }: NewPlanRequest): NewPlanAnswer {
  const made = plainFile(
    {
      declarations: clusterImport(cluster, nodes) + modelImport(model),
      ...{ model, cluster, batch },
      ...(engine === undefined ? {} : { engine }),
    },
    { uri: 'untitled:plan.pipe', host, options: defaultOptions },
  );
  return 'problem' in made ? made : { pipe: made.text };
}
