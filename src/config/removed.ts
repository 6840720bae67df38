import type { OldSpellings } from '../features/agent/definition-fields.ts'
import { checkOldSpellings, serviceOldSpellings } from '../features/agent/definition-names.ts'
import { productName } from '../model/names.ts'

/** What is no more, since which release, and what to write instead. Spec: removed options; reference: configuration 16. */
export interface RemovedOption {
  readonly kind: 'key' | 'flag' | 'service key' | 'check key'
  /** With dots where blocks are in one another; a flag without its dash. */
  readonly name: string
  readonly since: string
  readonly instead: string
}

interface Removal {
  readonly since: string
  readonly instead: string
}

const cliRpc: Removal = { since: '1.0', instead: 'commands talk HTTP: use ports.http' }
const discovery: Removal = { since: '1.0', instead: "use retry_join with 'provider=…'" }
const updateService: Removal = { since: '1.0', instead: 'remove it: the service it belonged to is gone' }
const metricNames: Removal = { since: '1.1.0', instead: 'remove it: old names of metrics are gone' }

const use = (key: string): Removal => ({ since: '1.0', instead: `use '${key}'` })

/** Keys of configuration files, with dots where they are nested. */
const removedKeys: ReadonlyMap<string, Removal> = new Map([
  ['reap', { since: '0.7.1', instead: 'remove it: as process 1 run the agent under an init process' }],
  ['addresses.rpc', cliRpc],
  ['ports.rpc', cliRpc],
  ['retry_join_ec2', discovery],
  ['retry_join_gce', discovery],
  ['retry_join_azure', discovery],
  ['advertise_addrs', { since: '1.0', instead: "use 'advertise_addr', 'advertise_addr_wan' and 'ports'" }],
  ['http_api_response_headers', use('http_config.response_headers')],
  ['recursor', use('recursors')],
  ['statsd_addr', use('telemetry.statsd_address')],
  ['statsite_addr', use('telemetry.statsite_address')],
  ['statsite_prefix', use('telemetry.metrics_prefix')],
  ['dogstatsd_addr', use('telemetry.dogstatsd_addr')],
  ['dogstatsd_tags', use('telemetry.dogstatsd_tags')],
  ['telemetry.statsite_prefix', use('telemetry.metrics_prefix')],
  ['telemetry.enable_deprecated_names', metricNames],
  ['atlas_infrastructure', updateService],
  ['atlas_token', updateService],
  ['atlas_acl_token', updateService],
  ['atlas_join', updateService],
  ['atlas_endpoint', updateService],
])

const cloudFlag: Removal = { since: '1.0', instead: "use -retry-join 'provider=…'" }

/** Flags of commands, without the dash. */
const removedFlags: ReadonlyMap<string, Removal> = new Map([
  ['dc', { since: '1.0', instead: 'use -datacenter' }],
  ['rpc-addr', { since: '0.8.0', instead: `commands talk HTTP: use -http-addr, and ${productName} agent -http-port` }],
  ...[
    'retry-join-azure-tag-name',
    'retry-join-azure-tag-value',
    'retry-join-ec2-region',
    'retry-join-ec2-tag-key',
    'retry-join-ec2-tag-value',
    'retry-join-gce-credentials-file',
    'retry-join-gce-project-name',
    'retry-join-gce-tag-name',
    'retry-join-gce-zone-pattern',
  ].map((name) => [name, cloudFlag] as const),
  ...['atlas', 'atlas-token', 'atlas-join', 'atlas-endpoint'].map((name) => [name, updateService] as const),
])

/** All of them, in one table. What was removed of definitions their own reader has (`features/agent`). */
export function removedOptions(): readonly RemovedOption[] {
  return [
    ...[...removedKeys].map(([name, removal]) => ({ kind: 'key' as const, name, ...removal })),
    ...[...removedFlags].map(([name, removal]) => ({ kind: 'flag' as const, name, ...removal })),
    ...spellings('service key', serviceOldSpellings),
    ...spellings('check key', checkOldSpellings),
  ]
}

/** Written without a capital: with capitals some are read to this day. Reference: configuration CFG-7. */
function spellings(kind: RemovedOption['kind'], { camel, refused }: OldSpellings): readonly RemovedOption[] {
  return [...camel, ...refused].flatMap(([name, { use: key, since }]) =>
    since === undefined ? [] : [{ kind, name, since, instead: `write ${key}` }],
  )
}

export function removedKey(dotted: string): string | undefined {
  return textOf(removedKeys.get(dotted))
}

export function removedFlag(name: string): string | undefined {
  return textOf(removedFlags.get(name))
}

function textOf(removal: Removal | undefined): string | undefined {
  return removal === undefined ? undefined : `removed in ${removal.since}, ${removal.instead}`
}
