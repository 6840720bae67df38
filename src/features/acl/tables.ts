import { z } from 'zod'
import { byteString } from '../../base/bytes.ts'
import type { TableDefinition } from '../../store/types.ts'
import { count, stateIndex } from '../contract/fields.ts'
import { nameKey } from '../contract/names.ts'
import { policyFields, tokenFields } from './fields.ts'
import type { BootstrapRow, MigrationRow, ModeRow, PolicyRow, TokenRow } from './model.ts'

const stamps = { hash: z.string(), createIndex: stateIndex, modifyIndex: stateIndex }

const tokenRow = z.object({ ...tokenFields, ...stamps })

/** By secret, which every token has. Tokens without an accessor are indexed under the empty one. */
export const tokensTable: TableDefinition<TokenRow> = {
  name: 'acl-tokens',
  key: (row) => secretKey(row.secret),
  indexes: { accessor: { key: (row) => row.accessor } },
  departures: { row: { stays: () => true } },
  decode: (row) => tokenRow.parse(row),
}

/** The secret of a legacy token may be any text. */
export function secretKey(secret: string): string {
  return byteString(secret)
}

const policyRow = z.object({ ...policyFields, ...stamps })

export const policiesTable: TableDefinition<PolicyRow> = {
  name: 'acl-policies',
  key: (row) => row.id,
  indexes: { name: { key: (row) => policyNameKey(row.name) } },
  departures: { row: { stays: () => true } },
  decode: (row) => policyRow.parse(row),
}

/** Names of policies are compared without case, as in the field's indexes. */
export function policyNameKey(name: string): string {
  return nameKey(name)
}

export const onlyKey = 'only'

const modeRow = z.object({ index: stateIndex })

/** One row once the datacenter has switched. It survives every replacement of the state: there is no way back. */
export const modeTable: TableDefinition<ModeRow> = {
  name: 'acl-mode',
  key: () => onlyKey,
  decode: (row) => modeRow.parse(row),
  stamps: ['index'],
  ofCluster: true,
}

const bootstrapRow = z.object({ index: stateIndex })

/** One row once the bootstrap has been used. */
export const bootstrapTable: TableDefinition<BootstrapRow> = {
  name: 'acl-bootstrap',
  key: () => onlyKey,
  decode: (row) => bootstrapRow.parse(row),
  stamps: ['index'],
}

const migrationRow = z.object({ tokens: count, batches: count, completeIndex: stateIndex, modifyIndex: stateIndex })

/** One row once a token has been migrated, or no token was found to migrate. */
export const migrationTable: TableDefinition<MigrationRow> = {
  name: 'acl-migration',
  key: () => onlyKey,
  decode: (row) => migrationRow.parse(row),
  stamps: ['completeIndex', 'modifyIndex'],
}
