import { z } from 'zod'
import type { TextPairs } from '../../model/catalog.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import { type Naming, namingNames } from '../../model/naming/naming.ts'
import { timeText } from '../acl/model.ts'
import { count, textPairs } from '../contract/fields.ts'
import { indexValue, textMap } from '../http/declared.ts'
import { type Ends, placeText, precedenceOf } from './place.ts'

export type Action = 'allow' | 'deny'

/** The part of an intention that its author writes. */
export interface IntentionContent extends Ends {
  readonly action: Action
  readonly description: string
  /** In order of key. */
  readonly meta: TextPairs
  /** Stored and shown, without any effect. */
  readonly defaultAddress: string
  readonly defaultPort: number
}

/** Whether one service may connect to another. */
export interface IntentionRow extends IntentionContent {
  /** A UUID in lower case. */
  readonly id: string
  /** Times by the clocks of leaders. */
  readonly createdMs: number
  readonly updatedMs: number
  readonly createIndex: ModifyIndex
  readonly modifyIndex: ModifyIndex
}

const time = z.string().meta({ format: 'date-time' })

/** Reference: mesh.md#intentions. */
export const intentionShape = z
  .strictObject({
    ID: z.string(),
    Description: z.string(),
    SourceNS: z.string(),
    SourceName: z.string(),
    DestinationNS: z.string(),
    DestinationName: z.string(),
    SourceType: z.enum(namingNames),
    Action: z.enum(['allow', 'deny']),
    DefaultAddr: z.string(),
    DefaultPort: z.number().int(),
    Meta: textMap,
    Precedence: z.number().int().min(1).max(9).meta({ description: 'Of all that match, the greatest decides.' }),
    CreatedAt: time,
    UpdatedAt: time,
    CreateIndex: indexValue,
    ModifyIndex: indexValue,
  })
  .meta({ id: 'Intention' })

export function intentionJson(row: IntentionRow, naming: Naming): z.infer<typeof intentionShape> {
  return {
    ID: row.id,
    Description: row.description,
    SourceNS: row.source.namespace,
    SourceName: row.source.name,
    DestinationNS: row.destination.namespace,
    DestinationName: row.destination.name,
    SourceType: naming.name,
    Action: row.action,
    DefaultAddr: row.defaultAddress,
    DefaultPort: row.defaultPort,
    Meta: Object.fromEntries(row.meta),
    Precedence: precedenceOf(row),
    CreatedAt: timeText(row.createdMs),
    UpdatedAt: timeText(row.updatedMs),
    CreateIndex: row.createIndex,
    ModifyIndex: row.modifyIndex,
  }
}

/** `ALLOW default/web => default/db (ID: …, Precedence: 9)`: the text that the field's clients know. */
export function intentionText(row: IntentionRow): string {
  const ends = `${placeText(row.source)} => ${placeText(row.destination)}`
  return `${row.action.toUpperCase()} ${ends} (ID: ${row.id}, Precedence: ${precedenceOf(row)})`
}

/** Fields of an intention, in commands and in snapshots. */

/** A UUID in lower case, as the leader draws it. */
export const intentionId = z.string().length(36)

export const place = z.strictObject({ namespace: z.string(), name: z.string() })

export const contentFields = {
  source: place,
  destination: place,
  action: z.enum(['allow', 'deny']),
  description: z.string(),
  meta: textPairs,
  defaultAddress: z.string(),
  defaultPort: count,
}
