/** What each room may import. `ARCHITECTURE.md` has these rules as tables. */

export interface Rule {
  /** Files and folders of ours that may be imported. */
  readonly ours: readonly string[];
  /** Of these only types may be imported. */
  readonly types?: readonly string[];
  /** Packages; `node:` for Node's own. */
  readonly packages?: readonly string[];
}

/** Tests, benchmarks and scripts use whatever package.json names. */
const anyPackage = [''];

/** What everything else makes or reads. */
const values = ['engine/values/'];
/** Helpers that know nothing of pipelines. */
const helpers = ['engine/basics/'];
/** Ranks that share a stage, and stages as the file cuts them. */
const meshes = ['engine/costs/mesh.ts', 'engine/costs/stages.ts'];

const planning: Rule = {
  ours: [
    ...values,
    ...helpers,
    ...meshes,
    'engine/costs/',
    'engine/exchange/',
    'engine/order/',
    'engine/policies/',
    'engine/engines/',
    'engine/findings/',
    'engine/definitions/',
    'engine/network/index.ts',
  ],
  types: ['engine/language/resolution.ts', 'grammar/syntax.ts'],
};

/** The path from the text to the report of a pipeline. */
const textToReport = [
  'engine/order/',
  'engine/policies/',
  'engine/findings/',
  'engine/definitions/',
  'engine/language/',
  'engine/read/',
  'engine/planning/',
  'engine/schedule/',
  'engine/simulate/',
  'engine/analyze/',
];

/** What every answer of the server is made of. */
const serverContent = [
  'platform/common/base64.ts',
  'server/text/',
  'server/view.ts',
  'server/ownFunctions.ts',
  'server/imports.ts',
  'server/neighbours.ts',
  'server/standard.ts',
  'engine/',
  'grammar/',
];

/**
 * What each room may import besides itself, in the order of ARCHITECTURE.md: rooms only import from rooms above them. The longest
 * prefix of a file's path says which rule it must keep.
 */
export const allowed: Readonly<Record<string, Rule>> = {
  'grammar/': { ours: [], packages: ['chevrotain'] },
  'engine/values/': { ours: [] },
  'engine/basics/': { ours: [], types: values },
  'engine/costs/': { ours: helpers, types: values },
  'engine/exchange/': { ours: [], types: values },
  'engine/order/': { ours: [...values, ...helpers] },
  'engine/search/': { ours: [...values, ...helpers, 'engine/order/'] },
  'engine/policies/': { ours: [...values, ...helpers, ...meshes, 'engine/order/', 'engine/search/'] },
  'engine/engines/': {
    ours: [...values, ...helpers, ...meshes, 'engine/costs/', 'engine/policies/', 'engine/definitions/'],
  },
  'engine/findings/': { ours: helpers, types: ['engine/values/plan.ts', 'grammar/'] },
  'engine/definitions/': {
    ours: helpers,
    types: [
      ...values,
      ...meshes,
      'engine/costs/',
      'engine/exchange/',
      'engine/policies/',
      'engine/findings/',
      'grammar/',
    ],
  },
  'engine/network/': {
    ours: [...helpers, 'engine/costs/'],
    types: [...values, 'engine/definitions/'],
  },
  'engine/network/trees/': { ours: [] },
  'engine/network/collectives/': {
    ours: [...helpers, 'engine/costs/', 'engine/network/'],
    types: [...values, 'engine/definitions/', 'engine/exchange/'],
  },
  'engine/runs/': { ours: [...values, ...helpers] },
  'engine/formats/': {
    ours: [
      ...values,
      ...helpers,
      'engine/runs/',
      ...meshes,
      'engine/costs/',
      'engine/policies/',
      'engine/definitions/',
      'engine/engines/',
      'grammar/',
    ],
  },
  'engine/formats/toml/': { ours: ['engine/formats/'], packages: ['smol-toml'] },
  'engine/formats/yaml/': { ours: ['engine/formats/'], packages: ['yaml'] },
  'engine/std/': { ours: ['engine/formats/'], types: [...values] },
  'engine/language/': {
    ours: [
      ...values,
      ...helpers,
      'engine/costs/',
      'engine/exchange/',
      'engine/policies/',
      'engine/engines/',
      'engine/findings/',
      'engine/std/',
      'grammar/',
    ],
    types: [
      'engine/costs/mesh.ts',
      'engine/definitions/pipeline.ts',
      'engine/definitions/schedule.ts',
      'engine/definitions/scheduleTest.ts',
      'engine/definitions/search.ts',
      'engine/definitions/rowTracer.ts',
    ],
  },
  'engine/sequences/': {
    ours: [...values, ...helpers, 'engine/findings/', 'engine/language/', 'grammar/'],
    types: ['engine/definitions/rowTracer.ts'],
  },
  'engine/read/': {
    ours: [
      ...values,
      ...helpers,
      ...meshes,
      'engine/costs/',
      'engine/exchange/',
      'engine/policies/',
      'engine/findings/',
      'engine/definitions/',
      'engine/formats/',
      'engine/runs/',
      'engine/language/',
      'engine/sequences/',
      'engine/std/',
      'grammar/',
    ],
  },
  // Planning knows neither the text nor the file's context: it reads definitions and writes notes. It enters the network by one door.
  'engine/planning/': planning,
  // What a stage costs does not depend on how the cut was found.
  'engine/planning/cost/': {
    ...planning,
    ours: [...planning.ours, 'engine/planning/notes.ts', 'engine/planning/place/', 'engine/planning/exchange/'],
  },
  'engine/schedule/': {
    ours: [...values, ...helpers, ...meshes, 'engine/order/', 'engine/search/', 'engine/policies/', 'engine/findings/'],
  },
  'engine/simulate/': { ours: [...values, ...helpers, 'engine/order/'] },
  'engine/fill/': { ours: [...values, ...helpers, 'engine/simulate/'] },
  'engine/schedule/evaluation.ts': {
    ours: [...helpers, 'engine/policies/'],
    types: [...values, 'engine/findings/'],
  },
  'engine/analyze/': {
    ours: [
      ...values,
      ...helpers,
      ...meshes,
      'engine/costs/',
      'engine/order/',
      'engine/search/',
      'engine/policies/',
      'engine/engines/',
      'engine/findings/',
      'engine/schedule/',
      'engine/simulate/',
      'engine/runs/',
      'engine/fill/',
    ],
    types: ['engine/schedule/evaluation.ts'],
  },
  'engine/drawing/': {
    ours: [
      ...values,
      ...helpers,
      ...meshes,
      'engine/costs/',
      'engine/order/',
      'engine/policies/',
      'engine/simulate/',
      'engine/analyze/',
    ],
    types: ['engine/schedule/evaluation.ts'],
  },
  // The whole of it as one piece of work, simulation included.
  'engine/drawing/figureSearch.ts': {
    ours: [...helpers, 'engine/drawing/', 'engine/flow/evaluate.ts', 'engine/schedule/evaluation.ts'],
    types: [...values],
  },
  'engine/job/': {
    ours: [
      ...values,
      ...helpers,
      'engine/schedule/evaluation.ts',
      'engine/order/',
      'engine/findings/',
      'engine/schedule/',
      'engine/simulate/',
    ],
  },
  // It runs schedules as pipelines run them, on layers of its own.
  'engine/grid/': {
    ours: [...values, ...helpers, ...textToReport, 'grammar/'],
  },
  'engine/measured/': {
    ours: [
      ...values,
      ...helpers,
      'engine/runs/',
      // Its texts are laid out as all others that we write.
      'engine/formats/toPipe.ts',
      // A thread gets a run as its summary.
      'engine/formats/recording/readSummary.ts',
      'engine/policies/',
      'engine/language/',
      'engine/schedule/',
      'engine/simulate/',
      // Drifted operations are those that the iteration waits for.
      'engine/analyze/criticalPath.ts',
      'grammar/',
    ],
  },
  'engine/fixes/': {
    ours: [
      ...values,
      ...helpers,
      ...meshes,
      'engine/analyze/shares.ts',
      'engine/schedule/evaluation.ts',
      'engine/costs/',
      'engine/exchange/',
      'engine/policies/',
      'engine/engines/',
      'engine/findings/',
      'engine/std/',
      'engine/language/',
      'engine/schedule/',
      'engine/simulate/',
      'engine/grid/',
      'grammar/',
    ],
    types: ['engine/flow/check.ts'],
  },
  // It plans and simulates texts of one file, as the root does.
  'engine/sweep/': {
    ours: [
      ...values,
      ...helpers,
      'engine/flow/resolve.ts',
      'engine/flow/evaluate.ts',
      'engine/policies/',
      'engine/engines/',
      'engine/order/',
      'engine/language/',
      'engine/costs/stages.ts',
      'engine/analyze/expectations.ts',
      'engine/analyze/room.ts',
      'engine/analyze/spread.ts',
      'engine/fixes/',
      'grammar/',
    ],
    types: ['engine/definitions/search.ts'],
  },
  // The way from text to report. It knows neither advice nor fixes.
  'engine/flow/': {
    ours: [...values, ...helpers, ...meshes, ...textToReport, 'engine/grid/', 'engine/job/', 'grammar/'],
  },
  'engine/advice/': {
    ours: [
      ...values,
      ...helpers,
      ...meshes,
      'engine/search/',
      'engine/policies/',
      'engine/engines/',
      'engine/findings/',
      'engine/language/',
      'engine/schedule/',
      'engine/analyze/',
      'engine/flow/',
      'engine/fixes/',
      'grammar/',
    ],
  },
  // What the server and the extension need of the machine, and what is the same on both sides.
  'platform/common/': { ours: ['engine/basics/'] },
  'server/': {
    ours: ['platform/common/', 'engine/', 'grammar/', 'webview/protocol/'],
    packages: ['vscode-languageserver', 'vscode-uri'],
  },
  // The rooms of the server, each after those that it may use. Only the server itself knows how they are connected.
  'server/text/': { ours: ['engine/', 'grammar/'], packages: ['diff', 'vscode-languageserver', 'vscode-uri'] },
  'server/threads/': { ours: ['platform/common/', 'server/text/', 'engine/'] },
  'server/runs/': { ours: ['engine/'] },
  'server/names/': { ours: ['engine/', 'grammar/'], types: ['server/view.ts'] },
  'server/edits/': {
    ours: ['server/view.ts', 'server/ownFunctions.ts', 'engine/', 'grammar/'],
    types: ['webview/protocol/requests.ts'],
  },
  'server/documents/': {
    ours: ['platform/common/', 'server/text/', 'server/threads/', 'engine/', 'grammar/'],
    types: ['server/view.ts'],
    packages: ['vscode-languageserver'],
  },
  'server/searches/': {
    ours: [
      'platform/common/',
      'server/text/',
      'server/threads/',
      'server/edits/',
      'server/documents/',
      'server/neighbours.ts',
      'server/view.ts',
      'engine/',
      'grammar/',
    ],
    types: ['webview/protocol/requests.ts'],
    packages: ['vscode-languageserver'],
  },
  'server/completion/': {
    ours: [...serverContent, 'server/names/', 'server/searches/'],
    types: ['server/documents/'],
    packages: ['vscode-languageserver'],
  },
  'server/hover/': { ours: serverContent, packages: ['vscode-languageserver'] },
  // A feature is a thin function over the engine: it knows neither the connection nor the requests of the extension.
  'server/features/': {
    ours: [
      ...serverContent,
      'server/names/',
      'server/documents/',
      'server/searches/',
      'server/completion/',
      'server/hover/',
      'server/handlers.ts',
    ],
    types: ['server/session.ts'],
    packages: ['vscode-languageserver', 'vscode-uri'],
  },
  // Requests of the extension, which no other editor sends.
  'server/requests/': {
    ours: ['platform/common/', 'server/', 'engine/', 'grammar/', 'webview/protocol/'],
    packages: ['vscode-languageserver', 'vscode-uri'],
  },
  'client/': {
    ours: ['platform/common/', 'webview/protocol/'],
    packages: ['vscode', 'vscode-languageclient', 'vscode-uri'],
  },
  // The two sides start server and extension: only they know Node, or a worker.
  'platform/node/': {
    ours: ['platform/common/', 'server/', 'client/', 'engine/', 'grammar/'],
    packages: ['node:', 'vscode', 'vscode-languageclient', 'vscode-languageserver', 'vscode-uri', '@resvg/resvg-wasm'],
  },
  'platform/browser/': {
    ours: ['platform/common/', 'server/', 'client/', 'webview/protocol/'],
    packages: ['vscode', 'vscode-languageclient', 'vscode-languageserver'],
  },
  // A page that has the editor, the server as a worker and the preview in one.
  'platform/browser/playground/': {
    ours: [
      'platform/browser/serve.ts',
      'client/preview/panels.ts',
      'webview/main.ts',
      'webview/protocol/',
      'webview/session/standalone.ts',
      'webview/worker/messages.ts',
      'webview/worker/serve.ts',
      'grammar/pipe.tmLanguage.json',
      'inline:',
    ],
    types: ['client/languageClient.ts', 'client/serverState.ts', 'engine/formats/'],
    packages: ['@codemirror/', '@lezer/highlight', 'vscode-uri'],
  },
  // The rooms of the preview page, each after those that it may use.
  'webview/protocol/': { ours: ['webview/protocol/', 'engine/'], packages: [] },
  'webview/picture/': { ours: ['webview/picture/', 'engine/'], packages: [] },
  'webview/worker/': {
    ours: ['webview/worker/', 'webview/picture/', 'webview/protocol/messages.ts', 'engine/'],
    packages: [],
  },
  'webview/controls/': { ours: ['webview/controls/', 'engine/'], packages: ['@vscode/webview-ui-toolkit'] },
  'webview/session/': {
    ours: [
      'webview/session/',
      'webview/picture/',
      'webview/protocol/',
      'webview/worker/messages.ts',
      'engine/',
      'inline:',
    ],
    packages: [],
  },
  'webview/view/scene/': {
    ours: [
      'webview/view/scene/',
      'webview/session/',
      'webview/picture/',
      'webview/protocol/messages.ts',
      'webview/worker/palette.ts',
      'engine/',
    ],
    packages: [],
  },
  'webview/view/paint/': {
    ours: ['webview/view/paint/', 'webview/view/scene/', 'webview/session/', 'webview/picture/', 'engine/'],
    packages: ['d3-scale'],
  },
  'webview/view/panels/': {
    ours: [
      'webview/view/panels/',
      'webview/view/scene/',
      'webview/controls/',
      'webview/session/',
      'webview/picture/',
      'webview/protocol/messages.ts',
      'webview/protocol/shortcuts.ts',
      'engine/',
    ],
    packages: [],
  },
  // Comparisons and charts, which take the place of the timeline or lie over it.
  'webview/view/race/': {
    ours: [
      'webview/view/race/',
      'webview/view/paint/names.ts',
      'webview/view/paint/ruler.ts',
      'webview/view/scene/',
      'webview/view/onMeasureChange.ts',
      'webview/controls/',
      'webview/session/',
      'webview/picture/',
      'webview/protocol/messages.ts',
      'engine/',
    ],
    types: ['webview/worker/messages.ts'],
    packages: ['d3-scale'],
  },
  // The search for plans, which takes the place of the timeline too.
  'webview/view/plan/': {
    ours: [
      'webview/view/plan/',
      'webview/view/paint/ruler.ts',
      'webview/view/paint/canvas.ts',
      'webview/view/scene/',
      'webview/view/onMeasureChange.ts',
      'webview/controls/',
      'webview/session/',
      'engine/',
    ],
    types: ['webview/protocol/requests.ts'],
    packages: [],
  },
  'webview/view/': {
    ours: [
      'webview/view/',
      'webview/controls/',
      'webview/session/',
      'webview/picture/',
      'webview/worker/messages.ts',
      'webview/worker/palette.ts',
      'engine/',
    ],
    packages: [],
  },
  'webview/input/': {
    ours: ['webview/input/', 'webview/view/', 'webview/session/', 'webview/picture/', 'webview/protocol/', 'engine/'],
    packages: ['d3-'],
  },
  // It makes the rooms of the page and connects them.
  'webview/app/': {
    ours: [
      'webview/app/',
      'webview/input/',
      'webview/view/',
      'webview/controls/',
      'webview/session/',
      'webview/picture/',
      'webview/protocol/',
      'webview/worker/messages.ts',
      'engine/',
    ],
    packages: [],
  },
  'webview/': { ours: ['webview/'], packages: [] },
  'cli/': {
    ours: ['platform/common/', 'platform/node/', 'engine/', 'grammar/', 'server/'],
    packages: ['node:', 'picocolors', 'vscode-languageserver'],
  },
  'cli/mcp/': {
    ours: ['cli/', 'engine/', 'grammar/', 'server/'],
    packages: ['node:', '@modelcontextprotocol/server'],
  },
  'scripts/': {
    ours: [
      'engine/',
      'grammar/',
      'test/',
      'bench/',
      'webview/',
      'cli/',
      'client/start/firstSentence.ts',
      'platform/browser/playground/',
      'platform/node/glyphs.ts',
    ],
    packages: anyPackage,
  },
  'bench/': {
    ours: ['engine/', 'grammar/', 'platform/', 'server/', 'webview/', 'cli/', 'scripts/', 'test/'],
    packages: anyPackage,
  },
  'test/': { ours: [''], packages: anyPackage },
  'vitest.config.ts': { ours: ['scripts/', 'test/'], packages: anyPackage },
};
