import type { AgentConfig } from '../agent/settings/agent-config.ts'
import { reservedMetaPrefix } from '../model/naming/names.ts'
import type { Naming } from '../model/naming/naming.ts'
import { internalProtocolsOf, type Release, raftProtocolsOf } from '../model/release.ts'
import { isContentPath } from './parts/http.ts'
import { milliseconds, notNegative, type Report } from './parts/values.ts'
import type { FileConfig } from './schema.ts'

/**
 * Checks that need the whole configuration, and values that are well formed but not allowed. The texts are the field's.
 * Reference: configuration.md#top-level-keys, configuration.md#numeric-groups.
 */

const logLevels = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERR'] as const
/** Whether the text is a UUID: 8-4-4-4-12 hexadecimal digits, of any case. */
export function isUuid(text: string): boolean {
  return uuidShape.test(text.toLowerCase())
}

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export function checkNames(file: FileConfig, nodeName: string, problem: Report): void {
  if (nodeName === '') problem('node_name cannot be empty', 'give it with -node', 'node_name')
  const datacenter = file.datacenter?.toLowerCase()
  if (datacenter !== undefined && !/^[a-z0-9_-]+$/.test(datacenter)) {
    problem(`datacenter cannot be "${datacenter}"`, 'please use only [a-z0-9-_]', 'datacenter')
  }
  if ((file.node_id ?? '') !== '' && !isUuid(file.node_id ?? '')) {
    problem(`node_id "${file.node_id}" is not a UUID`, 'write it as 8-4-4-4-12 hexadecimal digits', 'node_id')
  }
}

export function checkRoles(file: FileConfig, dev: boolean, server: boolean, problem: Report): void {
  const expect = file.bootstrap_expect ?? 0
  const key = 'bootstrap_expect'
  if (expect < 0) problem(`${key} cannot be ${expect}`, 'must be greater than or equal to zero', key)
  if (expect > 0 && dev) problem(`'${key} > 0' not allowed in dev mode`, 'leave out one of the two', key)
  if (expect > 0 && !server) problem(`'${key} > 0' requires 'server = true'`, 'add -server', key, ['server'])
  if (expect > 0 && file.bootstrap === true) {
    const both = `'${key} > 0' and 'bootstrap = true' are mutually exclusive`
    problem(both, 'leave out one of the two', key, ['bootstrap'])
  }
  if (file.bootstrap === true && !server) {
    problem("'bootstrap = true' requires 'server = true'", 'add -server', 'bootstrap', ['server'])
  }
}

export function checkRaft(file: FileConfig, release: Release, problem: Report): void {
  const multiplier = file.performance?.raft_multiplier ?? 5
  if (multiplier < 1 || multiplier > 10)
    problem(
      `performance.raft_multiplier cannot be ${multiplier}`,
      'must be between 1 and 10',
      'performance.raft_multiplier',
    )
  const { min, max, spoken } = raftProtocolsOf(release)
  const protocol = file.raft_protocol ?? spoken
  if (protocol < min || protocol > max) {
    const message = `raft_protocol: Protocol version ${protocol} must be >= ${min} and <= ${max}`
    problem(message, `${spoken} is the default`, 'raft_protocol')
  }
}

/** Reports integers that are not valid counts, and unknown versions of the protocol between agents. */
export function checkCounts(file: FileConfig, release: Release, problem: Report): void {
  const { min, max, spoken } = internalProtocolsOf(release)
  const { protocol = spoken } = file
  const how = protocol < min ? 'low' : 'high'
  if (protocol < min || protocol > max)
    problem(`protocol: Protocol version '${protocol}' too ${how}`, `must be in range: [${min}, ${max}]`, 'protocol')
  const key = 'autopilot.max_trailing_logs'
  const trailing = file.autopilot?.max_trailing_logs ?? 0
  if (trailing < 0) problem(`${key} cannot be ${trailing}`, 'must be greater than or equal to zero', key)
  if (file.ui === true && (file.ui_dir ?? '') !== '')
    problem('ui_dir: both the ui and ui-dir flags were specified', 'please provide only one', 'ui_dir', ['ui'])
  if (!isContentPath(file.ui_content_path ?? '')) {
    const why = 'it must consist of letters, digits, - and _ between slashes, and not lie below /v1 or /debug'
    problem(`ui_content_path: ${JSON.stringify(file.ui_content_path)} is not usable`, why, 'ui_content_path')
  }
}

export function nodeMetaOf(file: FileConfig, naming: Naming, problem: Report): Readonly<Record<string, string>> {
  const meta = file.node_meta ?? {}
  const reserved = reservedMetaPrefix(naming)
  const frame = (key: string, value: string, reason: string): void =>
    problem(`node_meta invalid: Couldn't load metadata pair ('${key}', '${value}')`, reason, 'node_meta')
  for (const [key, value] of Object.entries(meta)) {
    if (key === '') frame(key, value, 'Key cannot be blank')
    else if (!/^[A-Za-z0-9_-]+$/.test(key)) frame(key, value, 'Key contains invalid characters')
    else if (key.length > 128) frame(key, value, 'Key is too long (limit: 128 characters)')
    else if (key.startsWith(reserved)) frame(key, value, `Key prefix '${reserved}' is reserved for internal use`)
    else if (value.length > 512) frame(key, value, 'Value is too long (limit: 512 characters)')
  }
  if (Object.keys(meta).length > 64)
    problem('Node metadata cannot contain more than 64 key/value pairs', 'remove some', 'node_meta')
  return meta
}

export function logLevelOf(file: FileConfig, dev: boolean, problem: Report): AgentConfig['logLevel'] {
  const given = file.log_level?.toUpperCase()
  if (given === undefined) return dev ? 'DEBUG' : 'INFO'
  const level = logLevels.find((name) => name === given)
  if (level === undefined)
    problem(`Invalid log level: ${given}`, `Valid log levels are: [${logLevels.join(' ')}]`, 'log_level')
  return level ?? 'INFO'
}

/** A duration of 0 is the default, as in the field. */
export function logPlacesOf(file: FileConfig, defaults: AgentConfig['log'], warn: Report): AgentConfig['log'] {
  return {
    product: defaults.product,
    json: file.log_json ?? defaults.json,
    file: file.log_file ?? defaults.file,
    rotateBytes: notNegative('log_rotate_bytes', file.log_rotate_bytes ?? defaults.rotateBytes, warn),
    rotateMs: milliseconds(file.log_rotate_duration, 0) || defaults.rotateMs,
    oldFilesMax: file.log_rotate_max_files ?? defaults.oldFilesMax,
  }
}

export function warningsOf(config: AgentConfig, file: FileConfig): readonly string[] {
  const expect = config.bootstrapExpect
  const warnings: string[] = []
  if (config.dev) warnings.push('-dev keeps nothing on disk and is not for production.')
  else if (config.bootstrap) warnings.push('bootstrap = true: do not enable unless necessary')
  if (file.enable_syslog !== true && (file.syslog_address ?? '') !== '')
    warnings.push("'syslog_address' has no effect: enable_syslog is not true")
  if (file.bootstrap_expect === 1) warnings.push('BootstrapExpect is set to 1; this is the same as Bootstrap mode.')
  if (expect > 0) warnings.push(`bootstrap_expect > 0: expecting ${expect} servers`)
  if (expect === 2) warnings.push('A cluster with 2 servers will provide no failure tolerance.')
  else if (expect > 0 && expect % 2 === 0)
    warnings.push('A cluster with an even number of servers does not achieve optimum fault tolerance.')
  if (expect > 7) warnings.push(`A cluster of ${expect} servers is larger than recommended: 3 to 5.`)
  return warnings
}
