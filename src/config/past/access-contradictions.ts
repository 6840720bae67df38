import { parseDuration } from '../../base/duration.ts'
import type { FileConfig } from '../schema.ts'
import { valueAt } from '../waiting.ts'

interface Pair {
  readonly old: string
  readonly key: string
  /** How values are compared: names without case, times in any units; values of secrets are never shown. */
  readonly is?: 'name' | 'time' | 'secret'
}

/**
 * Keys of access control from before 1.4.0, and the keys that replace them. Reference:
 * configuration.md#access-control-keys.
 */
const pairs: readonly Pair[] = [
  { old: 'acl_datacenter', key: 'primary_datacenter', is: 'name' },
  { old: 'acl_default_policy', key: 'acl.default_policy' },
  { old: 'acl_down_policy', key: 'acl.down_policy' },
  { old: 'acl_ttl', key: 'acl.token_ttl', is: 'time' },
  { old: 'acl_enable_key_list_policy', key: 'acl.enable_key_list_policy' },
  { old: 'enable_acl_replication', key: 'acl.enable_token_replication' },
  { old: 'acl_master_token', key: 'acl.tokens.master', is: 'secret' },
  { old: 'acl_token', key: 'acl.tokens.default', is: 'secret' },
  { old: 'acl_agent_token', key: 'acl.tokens.agent', is: 'secret' },
  { old: 'acl_agent_master_token', key: 'acl.tokens.agent_master', is: 'secret' },
  { old: 'acl_replication_token', key: 'acl.tokens.replication', is: 'secret' },
]

/** Old keys whose mere presence turns on what another key turns off. */
const switches = [
  { old: 'acl_datacenter', key: 'acl.enabled', on: 'access control' },
  { old: 'acl_replication_token', key: 'acl.enable_token_replication', on: 'the copying of tokens' },
] as const

/**
 * Settings that are given twice with different values. Each has one line with the place of the value that is ignored,
 * and never shows a secret.
 */
export function accessContradictions(
  file: FileConfig,
  placeOf: (path: readonly string[]) => string,
): readonly string[] {
  const said = (name: string): unknown => valueAt(file, name.split('.'))
  const line = (old: string, what: string): string => `${placeOf([old])}: ${what}`
  const otherwise = pairs.flatMap(({ old, key, is }) => {
    const [before, now] = [said(old), said(key)]
    if (before === undefined || now === undefined || meaning(before, is) === meaning(now, is)) return []
    if (is === 'name' && now === '') return []
    if (is === 'secret') return [line(old, `'${old}' and '${key}' contradict each other: the latter counts`)]
    return [
      line(old, `'${old}' says ${JSON.stringify(before)}, but '${key}' says ${JSON.stringify(now)}, which counts`),
    ]
  })
  const turnedOff = switches
    .filter(({ old, key }) => (said(old) ?? '') !== '' && said(key) === false)
    .map(({ old, key, on }) => line(old, `'${old}' does not turn on ${on}, for '${key}' is false`))
  return [...otherwise, ...turnedOff]
}

function meaning(value: unknown, is: Pair['is']): unknown {
  if (typeof value !== 'string') return value
  if (is === 'name') return value.toLowerCase()
  const time = is === 'time' ? parseDuration(value) : undefined
  return time?.ok === true ? time.value : value
}
