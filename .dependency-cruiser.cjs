/**
 * Who may import whom. A layer imports only lower numbers, rooms of one layer do not know each other, each package has
 * one home. `test/unit/walls/imports.test.ts` plants a violation of every rule here.
 */
const layers = [
  ['base'],
  ['env'],
  ['model', 'native'],
  ['raft', 'gossip', 'store', 'pki', 'dns-wire', 'hcl', 'filter'],
  ['rpc', 'access', 'proxy'],
  ['features'],
  ['agent'],
  ['http', 'dns', 'cli-rpc', 'config'],
  ['program'],
  ['cli'],
  ['host'],
]

/** Packages and the only files that may name them: a second home needs a reason in review. */
const homes = {
  msgpackr: '^src/base/msgpack[.]ts$',
  dns2: '^src/dns-wire/',
  re2js: '^src/base/linear-regexp[.]ts$',
  'sorted-btree': '^src/store/',
  fastify: '^src/host/',
  commander: '^(src/cli/|sim/main[.]ts$|sim/cli/)',
  yaml: '^sim/scenario/',
  'node-forge': '^(src/pki/der[.]ts$|sim/web/platform/aes-gcm[.]ts$)',
  'pprof-format': '^src/host/pprof[.]ts$',
  '@noble/curves': '^sim/(platform/(ecdsa|signing-keys)[.]ts$|web/platform/)',
  '@noble/hashes': '^(src/features/acl/hash[.]ts$|sim/web/platform/)',
  typescript: '^sim/(mutation/|platform/compiler[.]ts$)',
  preact: '^(sim/page|src/http/ui/page)/',
  uplot: '^sim/page/',
  seedrandom: '^sim/(world/decisions/decisions|studies/random-streams|lessons/checker-histories)[.]ts$',
}

/** Rooms of src/features that are no slice: what all slices have in common. Each imports those before it alone. */
const sharedByFeatures = ['contract', 'mesh', 'http', 'discovery']
const shared = `^src/features/(${sharedByFeatures.join('|')})/`

const nodeWorld = '^(src/(host|native)/|bin/|sim/(main|library)[.]ts$|sim/platform/[^/]+[.]ts$|test/|bench/)'

const layerRules = layers.flatMap((rooms, number) =>
  rooms.map((room) => {
    const others = rooms.filter((other) => other !== room)
    const refused = [...others, ...layers.slice(number + 1).flat()]
    return {
      name: `layer-${number}-${room}`,
      severity: 'error',
      comment: `src/${room} is layer ${number}: it imports lower layers and itself, nothing beside or above.`,
      from: { path: `^src/${room}/` },
      to: { path: `^src/(${refused.join('|') || '(?!)'})/` },
    }
  }),
)

const homeRules = Object.entries(homes).map(([name, home]) => ({
  name: `home-of-${name}`,
  severity: 'error',
  comment: `${name} is hidden behind ${home}: the rest of the house talks to that file, not to the package.`,
  from: { path: '^(src|sim|bin)/', pathNot: home },
  to: { path: `^node_modules/(@types/)?${name}/` },
}))

module.exports = {
  forbidden: [
    ...layerRules,
    ...homeRules,
    {
      name: 'every-room-has-a-layer',
      severity: 'error',
      comment: 'A new folder of src needs a number in the list of layers above.',
      from: { path: '^src/', pathNot: `^src/(${layers.flat().join('|')})/` },
      to: {},
    },
    {
      name: 'feature-knows-only-models',
      severity: 'error',
      comment:
        'Of another feature only model.ts, views.ts (pure reads), sight.ts (what callers may see), operations.ts (parts of a transaction) and replies.ts (checks of its rows in replies) may be imported; what must happen there is a hook.',
      from: { path: '^src/features/([^/]+)/', pathNot: shared },
      to: {
        path: '^src/features/[^/]+/',
        pathNot: ['^src/features/$1/', shared, '^src/features/[^/]+/(model|views|sight|operations|replies)[.]ts$'],
      },
    },
    {
      name: 'manifest-knows-no-feature',
      severity: 'error',
      comment: 'What all features share cannot depend on one of them.',
      from: { path: shared },
      to: { path: '^src/features/[^/]+/', pathNot: shared },
    },
    ...sharedByFeatures.slice(0, -1).map((room, number) => ({
      name: `shared-${number}-${room}`,
      severity: 'error',
      comment: `src/features/${room} imports nothing of ${sharedByFeatures.slice(number + 1).join(', ')}, which come after it.`,
      from: { path: `^src/features/${room}/` },
      to: { path: `^src/features/(${sharedByFeatures.slice(number + 1).join('|')})/` },
    })),
    {
      name: 'core-is-alone',
      severity: 'error',
      comment: 'A protocol core is a pure machine: it imports base, model and itself.',
      from: { path: '^src/([^/]+)/core/' },
      to: { path: '^(src|sim)/', pathNot: ['^src/(base|model)/', '^src/$1/core/'] },
    },
    {
      name: 'src-never-knows-sim',
      severity: 'error',
      comment: 'The agent cannot tell in which world it runs.',
      from: { path: '^src/' },
      to: { path: '^sim/' },
    },
    {
      name: 'page-runs-in-a-browser',
      severity: 'error',
      comment: 'The page of a run is given its data, and shares words and types with the simulator alone.',
      from: { path: '^sim/page/' },
      to: {
        path: '^(src|sim)/',
        pathNot: [
          '^sim/page/',
          '^sim/picture/film-format[.]ts$',
          '^sim/play/(lessons|play|tab)-api[.]ts$',
          '^sim/report/(record-text|trace-record|meaning|state-changes)[.]ts$',
        ],
      },
    },
    {
      name: 'page-is-not-imported',
      severity: 'error',
      comment: 'What runs in a browser runs nowhere else: the build makes one script of it.',
      from: { path: '^(src|sim|bin)/', pathNot: '^sim/page/' },
      to: { path: '^sim/page/' },
    },
    {
      name: 'interface-runs-in-a-browser',
      severity: 'error',
      comment: 'The web interface knows the agent by its HTTP API alone.',
      from: { path: '^src/http/ui/page/' },
      to: { path: '^(src|sim)/', pathNot: '^src/http/ui/page/' },
    },
    {
      name: 'interface-is-not-imported',
      severity: 'error',
      comment: 'What runs in a browser runs nowhere else: the build makes one script of it, which the agent serves.',
      from: { path: '^(src|sim|bin)/', pathNot: '^src/http/ui/page/' },
      to: { path: '^src/http/ui/page/' },
    },
    {
      name: 'web-is-not-imported',
      severity: 'error',
      comment: "What runs in a browser's thread runs nowhere else: a bundle is made of it.",
      from: { path: '^(src|sim|bin)/', pathNot: '^sim/web/' },
      to: { path: '^sim/web/' },
    },
    {
      name: 'product-never-knows-tests',
      severity: 'error',
      from: { path: '^(src|sim|bin)/' },
      to: { path: '^(test|bench)/' },
    },
    {
      name: 'host-is-for-main',
      severity: 'error',
      comment: 'Of the simulator only main.ts borrows the real world, for files and the terminal.',
      from: { path: '^sim/', pathNot: '^sim/main[.]ts$' },
      to: { path: '^src/host/' },
    },
    {
      name: 'native-is-for-worlds',
      severity: 'error',
      comment: 'Whoever runs in one of the two worlds asks its Env.',
      from: { path: '^(src|sim|bin)/', pathNot: '^(src/(host|native)/|sim/platform/)' },
      to: { path: '^src/native/' },
    },
    {
      name: 'node-only-in-its-world',
      severity: 'error',
      comment:
        'node:* exists in src/host, src/native, bin, sim/main.ts, sim/platform, tests and benchmarks: elsewhere ask env.',
      from: { pathNot: nodeWorld },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'zod-at-the-edges',
      severity: 'error',
      comment: 'Engines and the ground take typed values; what comes from outside is checked where it comes in.',
      from: { path: '^src/(base|env|raft|gossip|store|pki|dns-wire|hcl|filter)/' },
      to: { path: '^node_modules/zod/' },
    },
    {
      name: 'no-development-package',
      severity: 'error',
      from: { path: '^(src|sim|bin)/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        // The page is put together at build time, with what it imports: its packages have their home above.
        pathNot: ['^node_modules/@types/', '^node_modules/typescript/', '^node_modules/(preact|uplot)/'],
      },
    },
    {
      name: 'parser-is-handed-in',
      severity: 'error',
      comment:
        'Users do not have the TypeScript package: sim/platform/compiler.ts loads it only where it is installed.',
      from: { path: '^sim/mutation/' },
      to: { path: '^node_modules/typescript/', dependencyTypesNot: ['type-only'] },
    },
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-folder-circle',
      severity: 'error',
      scope: 'folder',
      comment: 'Two folders that import each other are one subject: move what both need to the lower one.',
      from: { path: '^(src|sim)/' },
      to: { circular: true },
    },
    {
      name: 'no-orphan',
      severity: 'error',
      comment: 'A module that nobody imports and that imports nobody is dead.',
      from: { orphan: true, path: '^(src|sim)/', pathNot: '([.]d[.]ts|tsconfig[.].*json)$' },
      to: {},
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      // Tests of students stand beside a client that the grader brings.
      from: { pathNot: '^test/scenario/projects/failover/' },
      to: { couldNotResolve: true, pathNot: '/dist/' },
    },
  ],
  options: {
    doNotFollow: { path: '^(node_modules|dist)' },
    exclude: { path: '^(dist|test/golden)/' },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
    reporterOptions: { text: { highlightFocused: true } },
  },
}
