import type { AgentConfig } from '../agent/settings/agent-config.ts'
import { compareText } from '../base/bytes.ts'
import type { KeyRow } from './keys/key.ts'
import { configKeys, type FileConfig } from './schema.ts'
import { valueAt } from './waiting.ts'

/** A difference between two readings of the configuration, as a line for the log. */
export interface ConfigDifference {
  readonly text: string
  /** Whether a reload applied it; otherwise it waits for the next start. */
  readonly applied: boolean
}

export interface ReadConfig {
  /** The merged sources, as they were written. */
  readonly file: FileConfig
  readonly config: AgentConfig
}

/**
 * The changes of a reload, key by key. `started` is the configuration of the start, `before` the one that was last
 * applied. Values of keys that need a restart are not shown: some are secrets, which no reload applies.
 */
export function configDifferences(
  started: ReadConfig,
  before: ReadConfig,
  next: ReadConfig,
): readonly ConfigDifference[] {
  const keys = configKeys().filter(({ name }) => !name.includes('[]'))
  const changed = keys.filter((row) => differs(row, row.reload ? before : started, next))
  const ofKeys = changed.map((row) => ({ text: textOf(row, started, before, next), applied: row.reload }))
  return [...ofKeys, ...definitionDifferences(before.config, next.config)]
}

function differs({ name, default: otherwise }: KeyRow, one: ReadConfig, other: ReadConfig): boolean {
  return said(name, otherwise, one) !== said(name, otherwise, other)
}

function said(name: string, otherwise: unknown, { file }: ReadConfig): string {
  return JSON.stringify(valueAt(file, name.split('.')) ?? otherwise ?? null)
}

function textOf(
  { name, reload, default: otherwise }: KeyRow,
  started: ReadConfig,
  before: ReadConfig,
  next: ReadConfig,
): string {
  if (name.startsWith('connect.ca_'))
    return `${name} has changed: it counts only at the first start of the mesh: use ${started.config.naming.name} connect ca set-config`
  if (name === 'encrypt') return encryptText(started.config)
  if (!reload) return `${name} has changed: restart to apply`
  if (holdsSecrets(name)) return `${name} has changed`
  return `${name} is ${said(name, otherwise, next)}, was ${said(name, otherwise, before)}`
}

/** Stored keys of the pool win at each start: the pool may have rotated away from the configured one. */
function encryptText({ dataDir, naming, pool }: AgentConfig): string {
  if (dataDir === undefined || !pool.keepsKeyring) return 'encrypt has changed: restart to apply'
  const file = `${dataDir}/serf/local.keyring`
  const change = `change keys with ${naming.name} keyring`
  if (pool.encrypt !== undefined)
    return `encrypt has changed without effect: the keys in ${file} take precedence; ${change}`
  return `encrypt has changed: restart to apply; if ${file} holds keys, they take precedence: ${change}`
}

/** A watch may contain a token as well. */
function holdsSecrets(name: string): boolean {
  return name === 'watches' || name.startsWith('acl.tokens.') || /^acl_.*token$/.test(name)
}

function definitionDifferences(before: AgentConfig, next: AgentConfig): readonly ConfigDifference[] {
  const services = ({ services: all }: AgentConfig): Named => new Map(all.map((each) => [each.service.id, each]))
  const checks = ({ checks: all }: AgentConfig): Named => new Map(all.map((each) => [each.checkId, each]))
  return [
    ...namedDifferences('service', services(before), services(next)),
    ...namedDifferences('check', checks(before), checks(next)),
  ]
}

type Named = ReadonlyMap<string, unknown>

function namedDifferences(kind: string, before: Named, next: Named): readonly ConfigDifference[] {
  const ids = [...new Set([...before.keys(), ...next.keys()])].sort(compareText)
  return ids.flatMap((id) => {
    const what = whatBecame(before.get(id), next.get(id))
    return what === undefined ? [] : [{ text: `${kind} ${JSON.stringify(id)} ${what}`, applied: true }]
  })
}

function whatBecame(before: unknown, next: unknown): string | undefined {
  if (before === undefined) return 'is new'
  if (next === undefined) return 'was removed'
  return JSON.stringify(before) === JSON.stringify(next) ? undefined : 'has changed'
}
