import type { AgentConfig } from '../../agent/settings/agent-config.ts'
import type { ManagedSettings } from '../../agent/settings/proxy-settings.ts'
import { formatDuration, parseDuration } from '../../base/duration.ts'
import { defaultSkewMs } from '../../features/connect/limits.ts'
import { rateProblem, readOptions } from '../../features/connect/options.ts'
import { builtInOptions } from '../../features/connect/provider/built-in.ts'
import { externalKind } from '../../features/connect/provider/external/external-kind.ts'
import type { MeshSettings } from '../../features/contract/mesh.ts'
import { settingsText } from '../../features/mesh/settings-text.ts'
import { ownNameFor, type ProductNames } from '../../model/naming/names.ts'
import { hasBehaviour } from '../../model/release.ts'
import { settingsWithoutSecrets } from '../hidden.ts'
import { isUuid } from '../rules.ts'
import type { FileConfig } from '../schema.ts'
import { milliseconds, type Report, type Shown } from './values.ts'

const hourMs = 3_600_000
const skewMinMs = 1_000
const skewMaxMs = hourMs

/** The authority's options by their names on the wire. Files may have them in any case, with or without underscores. */
const optionsOf = {
  'built-in': builtInOptions,
  vault: externalKind.knownOptions,
} as const satisfies Record<string, readonly string[]>
const clusterOption = 'ClusterID'
const knownOptions = new Map(
  [...Object.values(optionsOf).flat(), clusterOption].map((option) => [option.toLowerCase(), option]),
)
/** Their types are checked where they are read. */
const otherThanTexts: ReadonlySet<string> = new Set([
  'LeafCertTTL',
  'CSRMaxPerSecond',
  'RotationPeriod',
  'PrivateKeyBits',
  'TLSSkipVerify',
])

/**
 * Checks the settings of the mesh and its certificate authority by themselves. Reference:
 * configuration.md#connect-keys.
 */
export function checkConnect({ connect, ports }: FileConfig, names: ProductNames, problem: Report): void {
  checkRange('proxy', ports?.proxy_min_port ?? 20_000, ports?.proxy_max_port ?? 20_255, problem)
  checkRange('sidecar', ports?.sidecar_min_port ?? 21_000, ports?.sidecar_max_port ?? 21_255, problem)
  if (connect === undefined) return
  const skewMs = milliseconds(connect.clock_skew, defaultSkewMs)
  if (skewMs < skewMinMs || skewMs > skewMaxMs)
    problem(
      `connect.clock_skew ${connect.clock_skew} is not between 1s and 1h`,
      'write one such as 60s',
      'connect.clock_skew',
    )
  const provider = providerOf(connect.ca_provider, names)
  if (provider === undefined) {
    const remedy = `write ${names.naming.name} or vault`
    problem(`${connect.ca_provider} is not a valid CA provider`, remedy, 'connect.ca_provider')
  }
  const options = optionsIn(connect.ca_config)
  checkCommon(options, problem)
  if (provider === 'built-in') checkBuiltIn(options, problem)
  if (provider === 'vault') checkVault(options, problem)
  const mode = connect.proxy_defaults?.exec_mode ?? ''
  if (!['', 'daemon', 'script'].includes(mode))
    problem(
      `connect.proxy_defaults.exec_mode cannot be ${JSON.stringify(mode)}`,
      'write daemon',
      'connect.proxy_defaults.exec_mode',
    )
}

/**
 * The mesh settings of a server. Options that its provider does not support are left out: one of them may be a secret.
 */
export function meshOf(
  { aliases, connect }: FileConfig,
  dev: boolean,
  defaults: AgentConfig,
  dnsDomain: string,
): MeshSettings {
  const names = { naming: defaults.naming, aliases: aliases ?? defaults.http.aliases }
  const provider = providerOf(connect?.ca_provider, names) ?? 'built-in'
  const given = optionsIn(connect?.ca_config)
  const known = new Set<string>(optionsOf[provider])
  const cluster = given.get(clusterOption)
  return {
    enabled: hasBehaviour(defaults.release, 'mesh') && (connect?.enabled ?? dev),
    provider: provider === 'built-in' ? defaults.naming.name : provider,
    options: {
      ...(provider === 'built-in' ? defaults.mesh.options : {}),
      ...Object.fromEntries([...given].filter(([option]) => known.has(option))),
    },
    clusterId: typeof cluster === 'string' ? cluster.toLowerCase() : '',
    dnsDomain,
    skewMs: milliseconds(connect?.clock_skew, defaultSkewMs),
    federates: connect?.federation ?? true,
  }
}

/**
 * How the agent runs its managed proxies. Reference: configuration.md#connect-proxy,
 * configuration.md#connect-proxy-defaults.
 */
export function managedOf({ connect, ports }: FileConfig, defaults: ManagedSettings): ManagedSettings {
  const { proxy, proxy_defaults } = connect ?? {}
  return {
    ports: { min: ports?.proxy_min_port ?? defaults.ports.min, max: ports?.proxy_max_port ?? defaults.ports.max },
    viaApi: proxy?.allow_managed_api_registration ?? defaults.viaApi,
    asRoot: proxy?.allow_managed_root ?? defaults.asRoot,
    execMode: proxy_defaults?.exec_mode ?? defaults.execMode,
    daemonCommand: proxy_defaults?.daemon_command ?? defaults.daemonCommand,
    config: settingsText(proxy_defaults?.config),
  }
}

/** Options that have no effect. */
export function connectWarnings({ connect }: FileConfig, names: ProductNames): readonly string[] {
  const provider = providerOf(connect?.ca_provider, names)
  if (provider === undefined) return []
  const known = new Set<string>([...optionsOf[provider], clusterOption])
  return [...optionsIn(connect?.ca_config).keys()]
    .filter((option) => !known.has(option))
    .map(
      (option) =>
        `connect.ca_config: ${option} is not an option of ${provider === 'built-in' ? names.naming.name : provider}, and has no effect`,
    )
}

function providerOf(written = '', names: ProductNames): keyof typeof optionsOf | undefined {
  if (written === '' || ownNameFor(written, names) === names.naming.name) return 'built-in'
  return written === 'vault' ? 'vault' : undefined
}

function checkRange(name: string, min: number, max: number, problem: Report): void {
  if (max >= min) return
  const message = `${name}_min_port must be less than ${name}_max_port. To disable, set both to zero.`
  problem(message, 'correct one of the two', `ports.${name}_min_port`, [`ports.${name}_max_port`])
}

type Options = ReadonlyMap<string, unknown>
const at = 'connect.ca_config'
/** The blocks on which a missing option may depend. */
const ofBlock = ['connect', 'connect.*'] as const

/** `leaf_cert_ttl` becomes `LeafCertTTL`; an unknown name is kept. */
function optionsIn(written: Readonly<Record<string, unknown>> = {}): Options {
  return new Map(
    Object.entries(written).map(([key, value]) => [
      knownOptions.get(key.replaceAll('_', '').toLowerCase()) ?? key,
      value,
    ]),
  )
}

function checkCommon(options: Options, problem: Report): void {
  const leaf = durationOf(options, 'LeafCertTTL', problem)
  const rate = rateProblem(options.get('CSRMaxPerSecond'))
  if (rate !== undefined) problem(`connect.ca_config CSRMaxPerSecond ${rate}`, 'write one such as 50', at)
  if (leaf !== undefined && leaf < hourMs) problem('leaf cert TTL must be greater than 1h', 'write 72h', at)
  if (leaf !== undefined && leaf > 8_760 * hourMs) problem('leaf cert TTL must be less than 8760h', 'write 72h', at)
  durationOf(options, 'RotationPeriod', problem)
  for (const key of knownOptions.values()) {
    if (otherThanTexts.has(key) || typeof (options.get(key) ?? '') === 'string') continue
    problem(`connect.ca_config ${key} is not a string`, 'write a text', at)
  }
  const cluster = options.get(clusterOption)
  if (typeof cluster === 'string' && cluster !== '' && !isUuid(cluster))
    problem(`connect.ca_config ClusterID ${JSON.stringify(cluster)} is not a UUID`, 'leave it out', at)
}

function checkBuiltIn(options: Options, problem: Report): void {
  if (isGiven(options, 'RootCert') && !isGiven(options, 'PrivateKey'))
    problem('root_cert needs its private_key', 'write both, or neither', at)
}

function checkVault(options: Options, problem: Report): void {
  if (!isGiven(options, 'Token')) problem('must provide a Vault token', 'write token', at, ofBlock)
  if (!isGiven(options, 'RootPKIPath'))
    problem('must provide a valid path to a root PKI backend', 'write root_pki_path', at, ofBlock)
  if (!isGiven(options, 'IntermediatePKIPath'))
    problem('must provide a valid path for the intermediate PKI backend', 'write intermediate_pki_path', at, ofBlock)
  const needed = ['Token', 'RootPKIPath', 'IntermediatePKIPath']
  if (!needed.every((key) => isGiven(options, key))) return
  const read = readOptions(Object.fromEntries(options))
  const wrong = read.ok ? externalKind.problem(read.value) : read.error
  if (wrong !== undefined) problem(`connect.ca_config ${wrong}`, 'correct it', at)
}

function isGiven(options: Options, key: string): boolean {
  return (options.get(key) ?? '') !== ''
}

function durationOf(options: Options, key: string, problem: Report): number | undefined {
  const given = options.get(key)
  if (given === undefined) return undefined
  const parsed = typeof given === 'string' ? parseDuration(given) : undefined
  if (parsed?.ok === true && parsed.value > 0) return parsed.value
  const why = parsed?.ok === false ? parsed.error : 'not a duration'
  problem(`connect.ca_config ${key} ${JSON.stringify(given)}: ${why}`, 'write one such as 72h', at)
  return undefined
}

const secretOptions: ReadonlySet<string> = new Set(['PrivateKey', 'Token', 'KeyFile'])

/** As `/v1/agent/self` shows it. Reference: configuration.md#connect-keys, configuration.md#port-sidecar. */
export function shownMesh({ mesh, sidecarPorts }: Pick<AgentConfig, 'mesh' | 'sidecarPorts'>): Shown {
  const shown = Object.entries(mesh.options).map(([option, value]) => [
    option,
    secretOptions.has(option) && value !== '' ? 'hidden' : String(value),
  ])
  return {
    ConnectCAConfig: Object.fromEntries([...shown, ['ClusterID', mesh.clusterId]]),
    ConnectCAProvider: mesh.provider,
    ConnectEnabled: mesh.enabled,
    ConnectClockSkew: formatDuration(mesh.skewMs ?? 0),
    ConnectFederation: mesh.federates ?? true,
    ConnectDNSDomain: mesh.dnsDomain,
    ConnectSidecarMaxPort: sidecarPorts.max,
    ConnectSidecarMinPort: sidecarPorts.min,
  }
}

/** As `/v1/agent/self` shows it: the deprecated proxies that the agent runs itself. */
export function shownProxies(managed: AgentConfig['managedProxies']): Shown {
  return {
    ConnectProxyAllowManagedAPIRegistration: managed.viaApi,
    ConnectProxyAllowManagedRoot: managed.asRoot,
    ConnectProxyBindMaxPort: managed.ports.max,
    ConnectProxyBindMinPort: managed.ports.min,
    ConnectProxyDefaultConfig: settingsWithoutSecrets(managed.config),
    ConnectProxyDefaultDaemonCommand: managed.daemonCommand,
    ConnectProxyDefaultExecMode: managed.execMode,
  }
}
