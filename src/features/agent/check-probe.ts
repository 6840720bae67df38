import { err, ok, type Result } from '../../base/result.ts'
import type { CheckProbe } from '../../model/catalog.ts'
import type { Fields } from './definition-fields.ts'
import type { CheckName } from './definition-names.ts'

/** A check is not run more often. */
const intervalMinMs = 1_000
const timeoutDefaultMs = 10_000
const scriptTimeoutDefaultMs = 30_000

/** What the members of a check say about how it is run, with the reason where they do not fit. Reference: HTTP API 4.4. */
export function probeFrom(fields: Fields<CheckName>): Result<CheckProbe, string> {
  const ttlMs = fields.durationMs('ttl')
  const givenIntervalMs = fields.durationMs('interval')
  const timeoutMs = fields.durationMs('timeout')
  const argv = fields.texts('args')
  const url = fields.text('http')
  const address = fields.text('tcp')
  const method = fields.text('method')
  const header = fields.textLists('header')
  const tlsSkipVerify = fields.flag('tlsSkipVerify')
  const grpc = fields.text('grpc') !== ''
  const docker = fields.text('dockerContainerId') !== ''
  const alias = fields.text('aliasNode') !== '' || fields.text('aliasService') !== ''
  const runs = argv.length > 0 || url !== '' || address !== '' || grpc
  const misfit = misfitOf({ ttlMs, intervalMs: givenIntervalMs, runs, alias })
  if (misfit !== undefined) return err(misfit)
  if (ttlMs > 0) return ok({ kind: 'ttl', ttlMs })
  const intervalMs = Math.max(givenIntervalMs, intervalMinMs)
  const limitMs = timeoutMs > 0 && timeoutMs < intervalMs ? timeoutMs : Math.min(timeoutDefaultMs, intervalMs)
  if (url !== '') return ok({ kind: 'http', url, method, header, tlsSkipVerify, intervalMs, timeoutMs: limitMs })
  if (address !== '') return ok({ kind: 'tcp', address, intervalMs, timeoutMs: limitMs })
  if (grpc) return err('gRPC checks are not there yet')
  if (docker) return err('Docker checks are not there yet')
  const [program, ...rest] = argv
  if (program === undefined) return err('alias checks are not there yet')
  return ok({
    kind: 'script',
    argv: [program, ...rest],
    intervalMs,
    timeoutMs: timeoutMs > 0 ? timeoutMs : scriptTimeoutDefaultMs,
  })
}

interface Kinds {
  readonly ttlMs: number
  readonly intervalMs: number
  /** Run by the agent again and again. */
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
