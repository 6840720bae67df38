import { InvariantViolation } from '../../base/invariant.ts'
import type { OldSpellings } from '../../features/agent/definition-members.ts'
import { checkOldSpellings, serviceOldSpellings } from '../../features/agent/definition-names.ts'
import { type Behaviour, hasBehaviour, isAtLeast, parseRelease, type Release } from '../../model/release.ts'

/**
 * A removed option, the release that removed it, and what to write instead. Spec: CFG-042. Reference:
 * configuration.md#removed-keys.
 */
interface RemovedOption {
  readonly kind: 'key' | 'flag' | 'service key' | 'check key'
  /** With dots where blocks are nested; a flag has no dash. */
  readonly name: string
  readonly since: string
  readonly instead: string
  /** Another spelling that is still accepted. */
  readonly spared?: string
}

interface Removal {
  readonly since: string
  readonly instead: string
  /** Releases before this behaviour still read the option. */
  readonly by: Behaviour
}

const inOne = { since: '1.0', by: 'old-options-refused' } as const
const cliRpc: Removal = { ...inOne, instead: 'commands talk HTTP: use ports.http' }
const discovery: Removal = { ...inOne, instead: "use retry_join with 'provider=…'" }
const updateService: Removal = { ...inOne, instead: 'remove it: the service it belonged to is gone' }
const metricNames: Removal = {
  since: '1.1.0',
  by: 'old-metric-names-gone',
  instead: 'remove it: old names of metrics are gone',
}
const reaping: Removal = {
  since: '0.7.1',
  by: 'child-reaping-gone',
  instead: 'remove it: as process 1 run the agent under an init process',
}

const use = (key: string): Removal => ({ ...inOne, instead: `use '${key}'` })

/** Keys of configuration files, with dots where they are nested. */
const removedKeys: ReadonlyMap<string, Removal> = new Map([
  ['reap', reaping],
  ['addresses.rpc', cliRpc],
  ['ports.rpc', cliRpc],
  ['retry_join_ec2', discovery],
  ['retry_join_gce', discovery],
  ['retry_join_azure', discovery],
  ['advertise_addrs', { ...inOne, instead: "use 'advertise_addr', 'advertise_addr_wan' and 'ports'" }],
  ['http_api_response_headers', use('http_config.response_headers')],
  ['recursor', use('recursors')],
  ['statsd_addr', use('telemetry.statsd_address')],
  ['statsite_addr', use('telemetry.statsite_address')],
  ['statsite_prefix', use('telemetry.metrics_prefix')],
  ['statsd_prefix', use('telemetry.metrics_prefix')],
  ['dogstatsd_prefix', use('telemetry.metrics_prefix')],
  ['dogstatsd_addr', use('telemetry.dogstatsd_addr')],
  ['dogstatsd_tags', use('telemetry.dogstatsd_tags')],
  ['telemetry.statsite_prefix', use('telemetry.metrics_prefix')],
  ['telemetry.statsd_prefix', use('telemetry.metrics_prefix')],
  ['telemetry.dogstatsd_prefix', use('telemetry.metrics_prefix')],
  ['telemetry.enable_deprecated_names', metricNames],
  ['atlas_infrastructure', updateService],
  ['atlas_token', updateService],
  ['atlas_acl_token', updateService],
  ['atlas_join', updateService],
  ['atlas_endpoint', updateService],
])

const talkHttp = 'use -http-addr, and svc agent -http-port'
const cloudFlag: Removal = { ...inOne, instead: "use -retry-join 'provider=…'" }

/** Flags of commands, without the dash. */
const removedFlags: ReadonlyMap<string, Removal> = new Map([
  ['dc', { ...inOne, instead: 'use -datacenter' }],
  ['rpc-addr', { ...cliRpc, since: '0.8.0', instead: `commands talk HTTP: ${talkHttp}` }],
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

/**
 * All removed options, in one table. Removed keys of definitions are listed by the reader of definitions
 * (`features/agent`).
 */
export function removedOptions(): readonly RemovedOption[] {
  return [
    ...[...removedKeys].map(([name, removal]) => ({ kind: 'key' as const, name, ...shown(removal) })),
    ...[...removedFlags].map(([name, removal]) => ({ kind: 'flag' as const, name, ...shown(removal) })),
    ...spellings('service key', serviceOldSpellings),
    ...spellings('check key', checkOldSpellings),
  ]
}

function shown({ since, instead }: Removal): Pick<RemovedOption, 'since' | 'instead'> {
  return { since, instead }
}

/** Removed keys that an agent of this release still reads, with dots where they are nested. */
export function keysStillRead(release: Release): readonly string[] {
  return [...removedKeys].flatMap(([name, { by }]) => (hasBehaviour(release, by) ? [] : [name]))
}

/** Whether an agent of this release still accepts the flag. */
export function isFlagStillRead(name: string, release: Release): boolean {
  const removal = removedFlags.get(name)
  return removal !== undefined && !hasBehaviour(release, removal.by)
}

/** Options of `camel` are refused only in lower case. Reference: configuration.md#fact-7. */
function spellings(kind: RemovedOption['kind'], { camel, refused }: OldSpellings): readonly RemovedOption[] {
  const rows = (names: OldSpellings['camel'], more: Pick<RemovedOption, 'spared'>): readonly RemovedOption[] =>
    [...names].flatMap(([name, { use: key, since }]) =>
      since === undefined ? [] : [{ kind, name, since, instead: `write ${key}`, ...more }],
    )
  return [...rows(camel, { spared: 'with capitals it is still read' }), ...rows(refused, {})]
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

export interface RefusedOption extends Omit<RemovedOption, 'since'> {
  readonly since: Release
}

/** Options that the first release accepts, and the second one refuses. */
export function optionsRefusedBetween(from: Release, to: Release): readonly RefusedOption[] {
  return refusedOptions().filter(({ since }) => !isAtLeast(from, since) && isAtLeast(to, since))
}

export function refusedOptions(): readonly RefusedOption[] {
  return removedOptions().map((option) => {
    const since = parseRelease(option.since) ?? parseRelease(`${option.since}.0`)
    if (since === undefined) throw new InvariantViolation('an option is refused since no release', { ...option })
    return { ...option, since }
  })
}

/** The name of an option as an operator would search for it. */
export function optionText({ kind, name }: Pick<RefusedOption, 'kind' | 'name'>): string {
  return kind === 'flag' ? `-${name}` : `${kind === 'key' ? '' : `${kind} `}${name}`
}
