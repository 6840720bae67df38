import { err, ok, type Result } from '../../base/result.ts'
import type { CheckProbe } from '../../model/catalog.ts'
import type { Fields } from './definition-fields.ts'
import type { CheckMembers } from './definition-names.ts'

/** Minimum interval of a check. */
const intervalMinMs = 1_000
const timeoutDefaultMs = 10_000
const scriptTimeoutDefaultMs = 30_000

/**
 * How a check runs, from the members of its definition, or why they do not fit together. Reference:
 * definitions.md#check-types, definitions.md#check-validation-texts.
 */
export function probeFrom(fields: Fields<CheckMembers>): Result<CheckProbe, string> {
  const ttlMs = fields.durationMs('ttl')
  const givenIntervalMs = fields.durationMs('interval')
  const timeoutMs = fields.durationMs('timeout')
  const argv = programOf(fields)
  const url = fields.text('http')
  const address = fields.text('tcp')
  const method = fields.text('method')
  const header = fields.textLists('header')
  const tlsSkipVerify = fields.flag('tlsSkipVerify')
  const target = fields.text('grpc')
  const useTls = fields.flag('grpcUseTls')
  const container = fields.text('dockerContainerId')
  const alias = { node: fields.text('aliasNode'), service: fields.text('aliasService') }
  const isAlias = alias.node !== '' || alias.service !== ''
  const runs = argv.length > 0 || url !== '' || address !== '' || target !== ''
  const misfit = misfitOf({ ttlMs, intervalMs: givenIntervalMs, runs, alias: isAlias })
  if (misfit !== undefined) return err(misfit)
  if (ttlMs > 0) return ok({ kind: 'ttl', ttlMs })
  const intervalMs = Math.max(givenIntervalMs, intervalMinMs)
  const limitMs = timeoutMs > 0 && timeoutMs < intervalMs ? timeoutMs : Math.min(timeoutDefaultMs, intervalMs)
  if (url !== '') return ok({ kind: 'http', url, method, header, tlsSkipVerify, intervalMs, timeoutMs: limitMs })
  if (address !== '') return ok({ kind: 'tcp', address, intervalMs, timeoutMs: limitMs })
  if (target !== '') {
    const grpcTimeoutMs = timeoutMs > 0 ? timeoutMs : timeoutDefaultMs
    return ok({ kind: 'grpc', target, useTls, tlsSkipVerify, intervalMs, timeoutMs: grpcTimeoutMs })
  }
  const [program, ...rest] = argv
  if (program === undefined) return ok({ kind: 'alias', ...alias })
  const scriptTimeoutMs = timeoutMs > 0 ? timeoutMs : scriptTimeoutDefaultMs
  const run = { argv: [program, ...rest], intervalMs, timeoutMs: scriptTimeoutMs } as const
  return ok(container === '' ? { kind: 'script', ...run } : { kind: 'container', container, ...run })
}

/** Before `old-definition-keys-refused`, also a single text that a shell interprets. */
function programOf(fields: Fields<CheckMembers>): readonly string[] {
  const script = fields.text('script')
  const args = fields.texts('args')
  return args.length > 0 || script === '' ? args : ['/bin/sh', '-c', script]
}

interface Kinds {
  readonly ttlMs: number
  readonly intervalMs: number
  /** Whether the agent runs the check periodically. */
  readonly runs: boolean
  readonly alias: boolean
}

function misfitOf({ ttlMs, intervalMs, runs, alias }: Kinds): string | undefined {
  if (intervalMs > 0 && ttlMs > 0) return 'Interval and TTL cannot both be specified'
  if (runs && intervalMs <= 0) return 'Interval must be > 0 for Script, HTTP, or TCP checks'
  if (runs && alias) return 'Interval cannot be set for Alias checks'
  if (alias && ttlMs > 0) return 'TTL must be not be set for Alias checks'
  if (!runs && !alias && ttlMs <= 0) return 'TTL must be > 0 for TTL checks'
  return undefined
}
