import { z } from 'zod'
import { formatDuration, parseDuration } from '../../base/duration.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import { count, stateIndex } from '../contract/fields.ts'
import { indexValue } from '../http/declared.ts'
import { type Decoder, decodeBody, decoder, durationSchema, flag, integer, object, text } from '../http/json-body.ts'

/** Autopilot settings, which operators may change at run time. Reference: operator.md#autopilot-configuration. */
export interface AutopilotSettings {
  readonly cleanUpDeadServers: boolean
  readonly lastContactThresholdMs: number
  readonly maxTrailingLogs: number
  readonly serverStabilizationMs: number
  /** The three members below are stored for clients of the field's commercial edition, without any effect. */
  readonly redundancyZoneTag: string
  readonly disableUpgradeMigration: boolean
  readonly upgradeVersionTag: string
}

export interface AutopilotRow extends AutopilotSettings {
  readonly createIndex: ModifyIndex
  readonly modifyIndex: ModifyIndex
}

const milliseconds = z.number().nonnegative()

export const autopilotSettings = z.strictObject({
  cleanUpDeadServers: z.boolean(),
  lastContactThresholdMs: milliseconds,
  maxTrailingLogs: count,
  serverStabilizationMs: milliseconds,
  redundancyZoneTag: z.string(),
  disableUpgradeMigration: z.boolean(),
  upgradeVersionTag: z.string(),
})

export const autopilotRow = autopilotSettings.extend({ createIndex: stateIndex, modifyIndex: stateIndex })

/** Reference: operator.md#autopilot-configuration. */
export const autopilotShape = z.strictObject({
  CleanupDeadServers: z.boolean(),
  LastContactThreshold: z.string(),
  MaxTrailingLogs: z.number().int(),
  ServerStabilizationTime: z.string(),
  RedundancyZoneTag: z.string(),
  DisableUpgradeMigration: z.boolean(),
  UpgradeVersionTag: z.string(),
  CreateIndex: indexValue,
  ModifyIndex: indexValue,
})

export function autopilotJson(row: AutopilotRow): z.infer<typeof autopilotShape> {
  return {
    CleanupDeadServers: row.cleanUpDeadServers,
    LastContactThreshold: formatDuration(row.lastContactThresholdMs),
    MaxTrailingLogs: row.maxTrailingLogs,
    ServerStabilizationTime: formatDuration(row.serverStabilizationMs),
    RedundancyZoneTag: row.redundancyZoneTag,
    DisableUpgradeMigration: row.disableUpgradeMigration,
    UpgradeVersionTag: row.upgradeVersionTag,
    CreateIndex: row.createIndex,
    ModifyIndex: row.modifyIndex,
  }
}

const heading = 'Error parsing autopilot config'

/** A text with a unit, or a number of nanoseconds; at least 0. */
const period: Decoder<number> = decoder(durationSchema, (value, place, report) => {
  if (value === undefined || value === null || value === '') return 0
  const name = place.slice(place.lastIndexOf('.') + 1)
  if (typeof value === 'number' || typeof value === 'bigint') return notBelowZero(Number(value) / 1e6, name, report)
  if (typeof value !== 'string') {
    report.mismatch(`'${place}' expected type 'api.ReadableDuration', got another`)
    return 0
  }
  const parsed = parseDuration(value)
  if (parsed.ok) return notBelowZero(parsed.value, name, report)
  report.malformed(`time: invalid duration ${JSON.stringify(value)}`)
  return 0
})

function notBelowZero(value: number, name: string, report: { malformed(line: string): void }): number {
  if (value >= 0) return value
  report.malformed(`${name} cannot be negative`)
  return 0
}

const notNegative: Decoder<number> = decoder({ type: 'integer', minimum: 0 }, (value, place, report) => {
  return notBelowZero(integer(value, place, report), place, report)
})

export const autopilotBody = object({
  CleanupDeadServers: flag,
  LastContactThreshold: period,
  MaxTrailingLogs: notNegative,
  ServerStabilizationTime: period,
  RedundancyZoneTag: text,
  DisableUpgradeMigration: flag,
  UpgradeVersionTag: text,
})

/** Parses all of the settings: an absent one becomes zero. */
export function autopilotSettingsFrom(bytes: Uint8Array): Result<AutopilotSettings, Failure> {
  if (bytes.length === 0) return err({ kind: 'bad-request', message: `${heading}: EOF` })
  const read = decodeBody(bytes, autopilotBody, heading)
  if (!read.ok) return read
  const { value } = read
  return ok({
    cleanUpDeadServers: value.CleanupDeadServers,
    lastContactThresholdMs: value.LastContactThreshold,
    maxTrailingLogs: value.MaxTrailingLogs,
    serverStabilizationMs: value.ServerStabilizationTime,
    redundancyZoneTag: value.RedundancyZoneTag,
    disableUpgradeMigration: value.DisableUpgradeMigration,
    upgradeVersionTag: value.UpgradeVersionTag,
  })
}
