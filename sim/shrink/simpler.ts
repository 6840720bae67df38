import { isKeyed, type Keyed, keyedAt, listAt, rulesOf, type Value, withAt, withKey, without } from './page.ts'
import { workloads } from './parts.ts'

/** A page with one part fewer, and a text that names the part. */
export interface Simpler {
  readonly page: Keyed
  readonly dropped: string
}

/** Fewer servers, in the order in which they are tried: every reader understands a failure with three. */
export function fewerServers(page: Keyed): readonly Simpler[] {
  return Object.entries(keyedAt(page, 'cluster')).flatMap(([name, datacenter]) => {
    const count = countAt(datacenter, 'servers')
    const fewer = [1, 3].filter((servers) => servers < count)
    const path = ['cluster', name, 'servers', 'count']
    const fixed = isKeyed(datacenter) && Array.isArray(keyedAt(datacenter, 'servers')['count']) ? [count] : []
    return [...fewer.toReversed(), ...fixed].map((servers) => {
      return { page: withAt(page, path, servers), dropped: `servers of ${name}: ${count} → ${servers}` }
    })
  })
}

/** Everything else that may be left out: whole parts first, then parts of them. */
export function simplerPages(page: Keyed): readonly Simpler[] {
  return [
    ...fewerActions(page),
    ...fewerDatacenters(page),
    ...fewerAgents(page),
    ...fewerGroups(page),
    ...smallerGroups(page),
    ...fewerSettings(page),
  ]
}

/** Fewer of a rule's simultaneous actions, and fewer of those that it chooses from. */
function fewerActions(page: Keyed): readonly Simpler[] {
  const rules = rulesOf(page)
  return rules.flatMap((rule, place) =>
    ['do', 'one of'].flatMap((key) => {
      const actions = listAt(rule, key)
      if (actions.length < 2) return []
      return actions.map((action) => {
        const left = rules.with(place, { ...rule, [key]: actions.filter((other) => other !== action) })
        return { page: withKey(page, 'faults', left), dropped: `of a fault: ${JSON.stringify(action)}` }
      })
    }),
  )
}

function fewerDatacenters(page: Keyed): readonly Simpler[] {
  const names = Object.keys(keyedAt(page, 'cluster'))
  return names.slice(1).map((name) => less(page, ['cluster', name], `datacenter ${name}`))
}

function fewerAgents(page: Keyed): readonly Simpler[] {
  return Object.entries(keyedAt(page, 'cluster')).flatMap(([name, datacenter]) => {
    const count = countAt(datacenter, 'clients')
    if (count === 0) return []
    const path = ['cluster', name, 'clients']
    const one = { page: withAt(page, [...path, 'count'], 1), dropped: `client agents of ${name}: ${count} → 1` }
    return [less(page, path, `client agents of ${name}`), ...(count > 1 ? [one] : [])]
  })
}

function fewerGroups(page: Keyed): readonly Simpler[] {
  return workloads.flatMap((kind) => {
    const names = Object.keys(keyedAt(page, kind))
    const each = names.length < 2 ? [] : names.map((name) => less(page, [kind, name], `${kind} '${name}'`))
    return names.length === 0 ? [] : [less(page, [kind], kind), ...each]
  })
}

/** Counts of a group of clients that can be reduced. */
const counts = ['clients', 'contenders', 'keys', 'locks', 'count', 'connections', 'operators'] as const

function smallerGroups(page: Keyed): readonly Simpler[] {
  return workloads.flatMap((kind) =>
    Object.entries(keyedAt(page, kind)).flatMap(([name, group]) => {
      if (!isKeyed(group)) return []
      const to = (key: string, value: Value): Simpler => {
        const dropped = `${key} of ${name}: ${shortly(group[key])} → ${shortly(value)}`
        return { page: withAt(page, [kind, name, key], value), dropped }
      }
      const fewer = counts.flatMap((key) => {
        const count = Number(group[key])
        return count > 1 ? [to(key, 1), ...(count > 3 ? [to(key, 2)] : [])] : []
      })
      const operations = group['operations']
      const kinds = Array.isArray(operations) ? [...new Set(operations)] : []
      const one = kinds.length > 1 || (Array.isArray(operations) && operations.length > 1) ? kinds : []
      const quiet = kind === 'workload' && group['watchers'] !== 0 ? [to('watchers', 0)] : []
      const plain = group['consistency'] === undefined ? [] : [withoutKey(page, kind, name, 'consistency')]
      return [...fewer, ...one.map((operation) => to('operations', [operation])), ...quiet, ...plain]
    }),
  )
}

function withoutKey(page: Keyed, kind: string, name: string, key: string): Simpler {
  return less(page, [kind, name, key], `${key} of ${name}`)
}

/** Settings that have a default. */
const settings = ['network', 'disk', 'clocks', 'knobs', 'web servers', 'mesh', 'secrets manager', 'operator'] as const

function fewerSettings(page: Keyed): readonly Simpler[] {
  const whole = settings.flatMap((key) => (page[key] === undefined ? [] : [less(page, [key], key)]))
  const parts = settings.flatMap((key) => {
    const names = Object.keys(keyedAt(page, key))
    return names.length < 2 ? [] : names.map((name) => less(page, [key, name], `${key}: ${name}`))
  })
  const configs = Object.entries(keyedAt(page, 'cluster')).flatMap(([name, datacenter]) =>
    isKeyed(datacenter) ? settingsOf(page, name, datacenter) : [],
  )
  return [...whole, ...configs, ...parts]
}

function settingsOf(page: Keyed, name: string, datacenter: Keyed): readonly Simpler[] {
  const at = ['cluster', name]
  const beside = ['drawn config', 'certificates'].filter((key) => datacenter[key] !== undefined)
  const config = Object.keys(keyedAt(datacenter, 'config'))
  const servers = Object.keys(without(keyedAt(datacenter, 'servers'), 'count'))
  return [
    ...beside.map((key) => less(page, [...at, key], `${key} of ${name}`)),
    ...(config.length > 1 ? [less(page, [...at, 'config'], `config of ${name}`)] : []),
    ...config.map((key) => less(page, [...at, 'config', key], `config of ${name}: ${key}`)),
    ...servers.map((key) => less(page, [...at, 'servers', key], `servers of ${name}: ${key}`)),
  ]
}

function less(page: Keyed, path: readonly string[], dropped: string): Simpler {
  return { page: withAt(page, path, undefined), dropped }
}

/** The greatest of the numbers from which one is drawn. */
function countAt(datacenter: Value, kind: string): number {
  const count = isKeyed(datacenter) ? keyedAt(datacenter, kind)['count'] : undefined
  return Math.max(0, ...[count ?? 0].flat().map(Number))
}

function shortly(value: Value | undefined): string {
  return Array.isArray(value) ? value.join(', ') : String(value ?? 'usual')
}
