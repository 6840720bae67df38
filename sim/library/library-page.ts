import { err, ok, type Result } from '../../src/base/result.ts'
import { type LoadedScenario, loadScenario, problemText } from '../scenario/language/load.ts'

/** The options of a test's cluster. Absent ones are as in a scenario. */
export interface ClusterOptions {
  /** 1 if absent. The same seed gives the same run, step for step. */
  readonly seed?: number
  /** 3 if absent. Their names are s1, s2, … */
  readonly servers?: number
  /** Number of client agents; 0 if absent. Their names are c1, c2, … */
  readonly clients?: number
  /** The release of all agents; the newest if absent. */
  readonly release?: string
  /** Settings of every agent, as in a configuration file. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Access control with this default policy, and one token with all rights: `managementToken`. Off if absent. */
  readonly acl?: 'allow' | 'deny'
  /** More of a scenario's page: `network`, `disk`, `clocks`, `excuses`, `web servers`, `operator`, `faults`, … */
  readonly world?: Readonly<Record<string, unknown>>
}

/** The secret of the token with all rights, if access control is on. */
export const managementToken = '00000000-0000-4000-8000-00000000aaaa'

/** Stands for the file of the page that is made from the options. */
export const optionsFile = 'options of createCluster'

/** The scenario of such a cluster, in which nothing happens by itself; or everything that is wrong with the options. */
export function libraryPage(options: ClusterOptions): Result<LoadedScenario, string> {
  const given: unknown = options
  if (!isRecord(given)) return err('createCluster: its options are an object, such as { servers: 3 }')
  const problems = problemsOf(options)
  if (problems.length > 0) return err(`createCluster: ${problems.join('; ')}`)
  const { servers = 3, clients = 0, release, config, acl, world } = options
  const as = release === undefined ? {} : { release }
  const page = {
    ...world,
    scenario: 'a cluster of a test',
    // The test decides how long it lasts; a page must have a value.
    lasts: '1s',
    cluster: {
      dc1: {
        servers: { count: servers, ...as },
        ...(clients === 0 ? {} : { clients: { count: clients, ...as } }),
        config: { ...config, ...(acl === undefined ? {} : controlled(acl, config)) },
      },
    },
    ...(acl === undefined ? {} : { operator: { token: managementToken } }),
  }
  // JSON is a subset of YAML, so the page is parsed and checked like any other.
  const loaded = loadScenario(optionsFile, JSON.stringify(page, undefined, 1))
  return loaded.ok ? ok(loaded.value) : err(loaded.error.map(problemText).join('\n'))
}

const knownOptions: Readonly<Record<keyof ClusterOptions, true>> = {
  seed: true,
  servers: true,
  clients: true,
  release: true,
  config: true,
  acl: true,
  world: true,
}

/**
 * Keys of a page that options set themselves, or that would have no effect, because the test decides what happens and
 * for how long.
 */
const notOfWorld: readonly string[] = ['scenario', 'about', 'seed', 'tags', 'cluster', 'steps', 'lasts', 'demands']

/** What the page made from the options would not show. */
function problemsOf(options: ClusterOptions): readonly string[] {
  const { seed, clients, config, acl, world } = options
  const names = Object.keys(knownOptions)
  return [
    ...unknown(options, names).map((name) => `there is no option '${name}': there are ${names.join(', ')}`),
    ...(seed === undefined || (Number.isSafeInteger(seed) && seed >= 0)
      ? []
      : [`'seed' is ${String(seed)}: write a whole number from 0 on`]),
    ...(clients === undefined || (Number.isSafeInteger(clients) && clients >= 0)
      ? []
      : [`'clients' is ${String(clients)}: write a whole number from 0 on`]),
    ...(acl === undefined || acl === 'allow' || acl === 'deny'
      ? []
      : [`'acl' is '${String(acl)}': write allow or deny`]),
    ...problemsOfAcl(acl, config),
    ...Object.entries({ config, world }).flatMap(([name, given]) =>
      given === undefined || isRecord(given) ? [] : [`'${name}' must be an object`],
    ),
    ...(isRecord(world)
      ? Object.keys(world)
          .filter((name) => notOfWorld.includes(name))
          .map((name) => `'world' takes no '${name}': options and calls of the cluster say it`)
      : []),
  ]
}

/** What `acl` sets, `config` may add to, and not say otherwise. */
function problemsOfAcl(acl: unknown, config: unknown): readonly string[] {
  const own = isRecord(config) ? config['acl'] : undefined
  if (acl === undefined || own === undefined) return []
  if (!isRecord(own)) return ["'config.acl' must be an object"]
  const { default_policy: policy = acl, enabled = true } = own
  if (policy === acl && enabled === true) return []
  return [`'acl' is '${String(acl)}', but 'config.acl' has another policy, or is not enabled: say it once`]
}

function unknown(given: object, known: readonly string[]): readonly string[] {
  return Object.keys(given).filter((name) => !known.includes(name))
}

function isRecord(given: unknown): given is Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null && !Array.isArray(given)
}

function controlled(
  policy: 'allow' | 'deny',
  config: ClusterOptions['config'] = {},
): Readonly<Record<string, unknown>> {
  const own = (config['acl'] ?? {}) as Readonly<Record<string, unknown>>
  const tokens = { master: managementToken, agent: managementToken, ...(own['tokens'] as object | undefined) }
  return { acl: { enabled: true, default_policy: policy, ...own, tokens } }
}
