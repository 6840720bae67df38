import { accepted, get, refused, type Settled } from './settled.ts'

/**
 * Reads with options that cannot be meant. Every route reads its options by itself, so each one is asked; which option is
 * wrong changes from one to the next.
 */

type Wrong = readonly [about: string, options: string, says: RegExp]

const wrongOptions: readonly Wrong[] = [
  ['two consistencies', 'stale&consistent', /conflicting semantics/],
  ['an index that is no number', 'index=soon', /Invalid index/],
  ['a wait without a unit', 'index=1&wait=long', /Invalid wait time/],
  ['an age without a unit', 'max_stale=old', /Invalid max_stale value/],
]

const wrongFilter: Wrong = ['a filter that ends too early', 'filter=(', /Invalid filter at character/]

/** A UUID that nothing has. */
const unknown = '0a0a0a0a-0a0a-0a0a-0a0a-0a0a0a0a0a0a'

const catalogLists = listsOf('catalog', ['nodes', 'services', 'service/web', 'connect/web', 'node/nobody'])
const healthLists = listsOf('health', ['service/web', 'connect/web', 'checks/web', 'node/nobody', 'state/any'])

export const readMistakes: readonly Settled[] = [
  ...misread([
    'kv/door',
    'kv/door?recurse',
    'kv/?keys',
    'session/list',
    'session/node/nobody',
    `session/info/${unknown}`,
    'coordinate/nodes',
    'coordinate/node/nobody',
    'query',
    `query/${unknown}`,
    'query/door/execute',
    'query/door/explain',
    'operator/raft/configuration',
    'operator/autopilot/configuration',
    'operator/autopilot/health',
    'status/leader',
    'status/peers',
  ]),
  ...misread([...catalogLists, ...healthLists, ...listsOf('internal/ui', ['nodes', 'services', 'node/nobody'])]),
  ...misread([...catalogLists, ...healthLists, ...listsOf('internal/ui', ['nodes', 'services'])], [wrongFilter]),
  ...certain(['kv/?keys', 'session/list', 'catalog/nodes', 'catalog/services', 'health/state/any', 'query']),
  refused('an index of an event that is no number', () => get('/v1/event/list?index=soon'), 400, /Invalid index/),
  refused('a limit that is no number', () => get('/v1/query/door/execute?limit=few'), 400, /Bad limit/),
  refused('a mesh that is neither', () => get('/v1/query/door/execute?connect=maybe'), 400, /Error parsing 'connect'/),
  refused('a kept answer that is certain', () => get('/v1/health/service/web?cached&consistent'), 400, /conflicting/),
  refused('instances of no service', () => get('/v1/health/service/'), 400, /Missing service name/),
  refused('checks of no service', () => get('/v1/health/checks/'), 400, /Missing service name/),
  refused('checks of no node', () => get('/v1/health/node/'), 400, /Missing node name/),
  refused('services of no name', () => get('/v1/catalog/service/'), 400, /Missing service name/),
  refused('services of no node', () => get('/v1/catalog/node/'), 400, /Missing node name/),
]

/** Of intentions and the certificate authority. */
export const meshReadMistakes: readonly Settled[] = [
  ...misread([
    'connect/intentions',
    `connect/intentions/${unknown}`,
    'connect/intentions/match?by=source&name=web',
    'connect/intentions/check?source=door&destination=web',
  ]),
  ...misread(['connect/intentions'], [wrongFilter]),
]

export const authorityReadMistakes: readonly Settled[] = misread([
  'connect/ca/roots',
  'connect/ca/configuration',
  'connect/ca/forecast',
  'agent/connect/ca/roots',
  'agent/connect/ca/leaf/web',
])

export const policyReadMistakes: readonly Settled[] = [
  ...misread([
    'acl/policies',
    `acl/policy/${unknown}`,
    'acl/replication',
    'acl/explain?resource=key&right=read&name=x',
  ]),
  ...misread(['acl/policies'], [wrongFilter]),
]

export const tokenReadMistakes: readonly Settled[] = [
  ...misread(['acl/tokens', 'acl/token/self', `acl/token/${unknown}`, 'acl/list', 'acl/info/nobody']),
  ...misread(['acl/tokens'], [wrongFilter]),
]

/** Reads that the leader confirms with a majority before it answers. */
function certain(targets: readonly string[]): readonly Settled[] {
  return targets.map((target) =>
    accepted(`${target} for certain`, () => get(withOptions(target, 'consistent')), /./, { leaves: 'nothing' }),
  )
}

function listsOf(feature: string, lists: readonly string[]): readonly string[] {
  return lists.map((list) => `${feature}/${list}`)
}

/** Each of these reads, with one of the wrong options by turns. */
function misread(targets: readonly string[], wrong = wrongOptions): readonly Settled[] {
  return targets.map((target, at) => {
    const [about, options, says] = wrong[at % wrong.length] as Wrong
    return refused(`${about} of ${target}`, () => get(withOptions(target, options)), 400, says)
  })
}

function withOptions(target: string, options: string): string {
  return `/v1/${target}${target.includes('?') ? '&' : '?'}${options}`
}
