import type { AgentConfig } from '../agent/settings/agent-config.ts'
import { defaultAgentConfig } from '../agent/settings/default-config.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { Machine } from '../env/process.ts'
import { type Naming, namings, svcNaming } from '../model/naming/naming.ts'
import { hasBehaviour, newestRelease, type Release, settingDefaultsOf } from '../model/release.ts'
import { type DefinitionSource, type Definitions, definitionSources, readDefinitions } from './definitions.ts'
import { accessOf, accessWarnings } from './parts/access.ts'
import { bindAddress } from './parts/addresses.ts'
import { checkConnect, connectWarnings, managedOf, meshOf } from './parts/connect.ts'
import { dnsConfig } from './parts/dns.ts'
import { httpOf } from './parts/http.ts'
import { joinReader } from './parts/joins.ts'
import { networkOf } from './parts/listening.ts'
import { checkAddressClash } from './parts/network.ts'
import { poolOf, wanOf } from './parts/pools.ts'
import { syslogOf } from './parts/syslog.ts'
import { filterWarnings, telemetryOf } from './parts/telemetry.ts'
import { timingOf } from './parts/timing.ts'
import { milliseconds, type Report, type Reports } from './parts/values.ts'
import { watchesOf } from './parts/watches.ts'
import { accessContradictions } from './past/access-contradictions.ts'
import { type ConfigProblem, problemText } from './problem.ts'
import { checkCounts, checkNames, checkRoles, logLevelOf, logPlacesOf, nodeMetaOf, warningsOf } from './rules.ts'
import type { FileConfig } from './schema.ts'
import { withAddresses } from './sources/expand.ts'
import { waitingKeys } from './waiting.ts'

export interface Normalized {
  readonly config: AgentConfig
  /** The merged sources that it was made from. */
  readonly file: FileConfig
  /** Printed before the agent starts. */
  readonly warnings: readonly string[]
  /** Those of the warnings that are about keys and values without effect. */
  readonly unheeded: readonly string[]
}

/**
 * The only maker of an `AgentConfig` from written configuration: applies defaults, converts units, and checks what a
 * schema of single fields cannot. `sources`: the definitions of services and checks, if they were removed from
 * `written` to keep their places. `release`: the release that the agent runs as. `placeOf`: the place of a key.
 * `program`: what the program is called by the name it was started as, unless `names` says otherwise. The texts are the
 * field's. Reference: configuration.md#top-level-keys.
 */
export function normalize(
  written: FileConfig,
  dev: boolean,
  machine: Machine,
  sources: readonly DefinitionSource[] = definitionSources(written, () => 'config'),
  release: Release = newestRelease,
  placeOf: (path: readonly string[]) => string = () => 'config',
  program: Naming = svcNaming,
): Result<Normalized, readonly ConfigProblem[]> {
  const { problems, passedOver, ...reports } = collected(placeOf)
  const { problem, warn } = reports
  const file = withAddresses(written, machine, problem)
  const naming = file.names === undefined ? program : namings[file.names]
  const names = { naming, aliases: file.aliases ?? naming.aliases }
  const waiting = [
    ...waitingKeys(file, naming, problem, placeOf),
    ...connectWarnings(file, names),
    ...accessContradictions(file, placeOf),
  ]
  const found = bindAddress(file, dev, machine, release)
  if (!found.ok) problem(...found.error)
  // Without an address the agent does not start; a placeholder lets the remaining settings be checked as well.
  const address = found.ok ? found.value : { bind: '127.0.0.1', advertise: '127.0.0.1' }
  const defaults = defaultAgentConfig((file.node_name ?? machine.hostName).trim(), address.advertise, release, naming)
  const remoteScripts = file.enable_script_checks ?? settingDefaultsOf(release, false).enableScriptChecks
  const scripts = file.enable_local_script_checks ?? remoteScripts
  const join = joinReader(file, problem, (key, message) => passedOver.push(`${placeOf([key])}: ${message}`))
  const { definitions, warnings: ofDefinitions } = definitionsOf(sources, scripts, release, naming)
  if (!definitions.ok) problems.push(...definitions.error)
  const network = networkOf(file, dev, defaults, { bind: address.bind, join }, reports)
  const dns = dnsConfig(file, names.aliases, defaults.dns, problem, release)
  const config: AgentConfig = {
    ...defaults,
    ...identityOf(file, dev, defaults, problem),
    ...network,
    wan: wanOf(file, dev, { ...address, port: network.ports.serfWan, join }, reports),
    ...timingOf(file, dev, defaults, reports),
    ...(definitions.ok ? definitions.value : noDefinitions),
    sidecarPorts: sidecarPortsOf(file, defaults),
    managedProxies: managedOf(file, defaults.managedProxies),
    pool: poolOf(file, dev, defaults, problem),
    limits: limitsOf(file, defaults),
    access: accessOf(file, defaults.access, problem),
    watches: watchesOf(file.watches, problem),
    telemetry: telemetryOf(file, defaults.telemetry, reports, release),
    http: httpOf(file, dev, defaults),
    discoveryMaxStaleMs: milliseconds(file.discovery_max_stale, defaults.discoveryMaxStaleMs),
    isDebugged: file.enable_debug ?? dev,
    remoteExec: file.disable_remote_exec === undefined ? defaults.remoteExec : !file.disable_remote_exec,
    dns,
    mesh: meshOf(file, dev, defaults, dns.domains[0]?.slice(0, -1) ?? naming.name),
    checksConfig: checksOf(file, { remoteScripts, localScripts: scripts }, defaults.checksConfig),
    log: logPlacesOf(file, defaults.log, warn),
    syslog: syslogOf(file, naming.name, problem),
    pidFile: file.pid_file ?? defaults.pidFile,
    logLevel: logLevelOf(file, dev, problem),
  }
  checkCounts(file, release, problem)
  checkConnect(file, names, problem)
  checkAddressClash(config, file, problem)
  if (problems.length > 0) return err(problems)
  const unheeded = [...waiting, ...passedOver]
  const warnings = [
    ...unheeded,
    ...accessWarnings(file),
    ...warningsOf(config, file),
    ...filterWarnings(file),
    ...ofDefinitions,
  ]
  return ok({ config, file: written, warnings, unheeded })
}

/** What is reported about the whole: problems, and warnings of parts that the agent starts without. */
function collected(
  placeOf: (path: readonly string[]) => string,
): Reports & { readonly problems: ConfigProblem[]; readonly passedOver: string[] } {
  const problems: ConfigProblem[] = []
  const passedOver: string[] = []
  const at = (key: string | undefined): string => placeOf(key?.split('.') ?? [])
  const problem: Report = (message, remedy, key, others = []) => {
    const restsOn = key === undefined ? others : [key, ...others]
    problems.push({ place: at(key), message, remedy, restsOn })
  }
  const warn: Report = (message, remedy, key) => {
    passedOver.push(problemText({ place: at(key), message, remedy }))
  }
  return { problems, passedOver, problem, warn }
}

function sidecarPortsOf({ ports }: FileConfig, defaults: AgentConfig): AgentConfig['sidecarPorts'] {
  const { min, max } = defaults.sidecarPorts
  return { min: ports?.sidecar_min_port ?? min, max: ports?.sidecar_max_port ?? max }
}

function checksOf(
  file: FileConfig,
  scripts: Pick<AgentConfig['checksConfig'], 'remoteScripts' | 'localScripts'>,
  defaults: AgentConfig['checksConfig'],
): AgentConfig['checksConfig'] {
  return {
    ...scripts,
    containerRuntime: defaults.containerRuntime,
    updateIntervalMs: milliseconds(file.check_update_interval, defaults.updateIntervalMs),
    discardOutput: file.discard_check_output ?? false,
    agentTls: file.enable_agent_tls_for_checks ?? false,
  }
}

/** The valid definitions; others are dropped with a warning. */
function definitionsOf(
  sources: readonly DefinitionSource[],
  scripts: boolean,
  release: Release,
  naming: Naming,
): { readonly definitions: ReturnType<typeof readDefinitions>; readonly warnings: readonly string[] } {
  const skipped: ConfigProblem[] = []
  const replaced: ConfigProblem[] = []
  const refusing = hasBehaviour(release, 'invalid-checks-refused')
  const reading = { scripts, skipped: refusing ? undefined : skipped, replaced, release, naming }
  const definitions = readDefinitions(sources, reading)
  const warnings = [
    ...skipped.map(({ place, message }) => `${place}: a check is left out: ${message}`),
    ...replaced.map(({ place, message }) => `${place}: ${message}`),
  ]
  return { definitions, warnings }
}

const noDefinitions: Definitions = { services: [], checks: [] }

type Part<K extends keyof AgentConfig> = Pick<AgentConfig, K>

/** The identity of the agent, and its role in the cluster. */
function identityOf(
  file: FileConfig,
  dev: boolean,
  defaults: AgentConfig,
  problem: Report,
): Part<
  | 'nodeId'
  | 'datacenter'
  | 'server'
  | 'dev'
  | 'bootstrap'
  | 'bootstrapExpect'
  | 'dataDir'
  | 'leaveOnTerminate'
  | 'skipLeaveOnInterrupt'
  | 'nodeMeta'
> {
  const server = file.server ?? dev
  const past = settingDefaultsOf(defaults.release, server)
  checkNames(file, defaults.nodeName, problem)
  checkRoles(file, dev, server, problem)
  if (!dev && (file.data_dir ?? '') === '')
    problem('data_dir cannot be empty', 'name a directory with -data-dir, or try -dev', 'data_dir')
  return {
    nodeId: file.node_id?.toLowerCase() || undefined,
    datacenter: (file.datacenter ?? defaults.datacenter).toLowerCase(),
    server,
    dev,
    bootstrap: (file.bootstrap ?? false) || file.bootstrap_expect === 1 || (dev && server),
    bootstrapExpect: file.bootstrap_expect === 1 ? 0 : (file.bootstrap_expect ?? 0),
    dataDir: dev ? undefined : file.data_dir,
    leaveOnTerminate: file.leave_on_terminate ?? past.leaveOnTerminate,
    skipLeaveOnInterrupt: file.skip_leave_on_interrupt ?? past.skipLeaveOnInterrupt,
    nodeMeta: nodeMetaOf(file, defaults.naming, problem),
  }
}

function limitsOf({ limits }: FileConfig, defaults: AgentConfig): AgentConfig['limits'] {
  const rate = limits?.rpc_rate ?? -1
  return { perSecond: rate < 0 ? undefined : rate, burst: limits?.rpc_max_burst ?? defaults.limits.burst }
}
