/**
 * The arrows: who may import whom. Job: hold the layout of ARCHITECTURE.md.
 * Rows are from the top down; a room may use rooms of lower rows and, without circles, of its own row.
 * Who may import which *package* (the doors) is build/lint/doors.mjs.
 */
const ROWS = [
  ['desk'],
  ['runs'],
  ['gate'],
  ['engine', 'compiler', 'redaction', 'receipts', 'scan'],
  ['registry', 'approvals', 'agents', 'spawn', 'store'],
];

const inRooms = (rooms) => `^electron/core/(?:${rooms.join('|')})/`;

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const rowRules = ROWS.slice(1).map((rooms, index) => ({
  name: `arrows-point-down-${rooms[0]}`,
  severity: 'error',
  comment: `${rooms.join(', ')} may not use a room of a row above.`,
  from: { path: inRooms(rooms) },
  to: { path: inRooms(ROWS.slice(0, index + 1).flat()) },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...rowRules,
    {
      name: 'no-circles',
      severity: 'error',
      comment: 'A circle means that two files are one; types count too.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'shared-is-pure',
      severity: 'error',
      comment: 'shared/ runs in a page too: it may use itself and packages, nothing of ours and nothing of Node.',
      from: { path: '^shared/' },
      to: { path: '^(?:electron|renderer|test|build|bench)/' },
    },
    {
      name: 'shared-has-no-platform',
      severity: 'error',
      comment: 'No module of Node in shared/.',
      from: { path: '^shared/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'core-has-rooms',
      severity: 'error',
      comment: 'A file of the core that is in no known room has no place in the arrows.',
      from: { path: '^electron/core/', pathNot: inRooms(ROWS.flat()) },
      to: {},
    },
    {
      name: 'core-knows-no-shell',
      severity: 'error',
      comment: 'Nothing imports main; only main may start the command.',
      from: { pathNot: '^electron/main/' },
      to: { path: '^electron/(?:main|preload)/' },
    },
    {
      name: 'nobody-imports-the-command',
      severity: 'error',
      comment: 'Nothing but main imports cli.',
      from: { pathNot: '^electron/(?:cli|main)/' },
      to: { path: '^electron/cli/' },
    },
    {
      name: 'practice-agent-is-apart',
      severity: 'error',
      comment:
        "The practice agent stands on the agent's side of the gate: it knows nothing of the product but shared/.",
      from: { path: '^electron/practice/' },
      to: { path: '^electron/', pathNot: '^electron/practice/' },
    },
    {
      name: 'nobody-imports-the-practice-agent',
      severity: 'error',
      comment: 'It is started as a process, like every agent; main is that process in the packaged app.',
      from: { pathNot: '^electron/(?:practice|main)/' },
      to: { path: '^electron/practice/' },
    },
    {
      name: 'keychain-helper-is-apart',
      severity: 'error',
      comment: 'The helper is a process of its own that may be killed at any moment: it knows nothing of the product.',
      from: { path: '^electron/keychain/' },
      to: { path: '^electron/', pathNot: '^electron/keychain/' },
    },
    {
      name: 'nobody-imports-the-keychain-helper',
      severity: 'error',
      comment: 'It is started as a process; main is that process in the packaged app.',
      from: { pathNot: '^electron/(?:keychain|main)/' },
      to: { path: '^electron/keychain/' },
    },
    {
      name: 'pages-know-only-shared',
      severity: 'error',
      comment: 'A page is not to be trusted: it reaches the main process by the bridge, and imports nothing of it.',
      from: { path: '^renderer/' },
      to: { path: '^electron/' },
    },
    {
      name: 'pages-have-no-platform',
      severity: 'error',
      comment: 'No module of Node in a page.',
      from: { path: '^renderer/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'pages-are-loaded-not-imported',
      severity: 'error',
      comment: 'Nothing of the product imports a page; main loads the built files.',
      from: { path: '^(?:electron|shared)/' },
      to: { path: '^renderer/' },
    },
    {
      name: 'product-without-tests',
      severity: 'error',
      comment: 'The product uses neither its tests nor its build.',
      from: { path: '^(?:electron|shared|renderer)/' },
      to: { path: '^(?:test|build|bench)/' },
    },
    {
      name: 'only-shipped-packages',
      severity: 'error',
      comment:
        'A package that the product runs on is a dependency, not a development one; Electron is shipped as the runtime.',
      from: { path: '^(?:electron|shared|renderer)/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
        pathNot: 'node_modules/electron/',
      },
    },
    {
      name: 'all-is-found',
      severity: 'error',
      comment: 'An import that leads nowhere.',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Type-only imports are arrows too.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
