import { z } from 'zod'
import { byteString } from '../../base/bytes.ts'
import type { TableDefinition } from '../../store/types.ts'
import { count } from '../contract/fields.ts'
import { nameKey } from '../contract/names.ts'
import { policyFields, tokenFields } from './fields.ts'
import type { BootstrapRow, MigrationRow, ModeRow, PolicyRow, TokenRow } from './model.ts'

const stamps = { hash: z.string(), createIndex: count, modifyIndex: count }

const tokenRow = z.object({ ...tokenFields, ...stamps })

/** By secret, which every token has. Those that have no accessor yet are under the empty one. */
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

/** Two names that differ in the case of their letters are one, as in the field's indexes. */
export function policyNameKey(name: string): string {
  return nameKey(name)
}

export const onlyKey = 'only'

const modeRow = z.object({ index: count })

/** One row once the datacenter has gone over. It stays whatever state is put in the place of this one: there is no way back. */
export const modeTable: TableDefinition<ModeRow> = {
  name: 'acl-mode',
  key: () => onlyKey,
  decode: (row) => modeRow.parse(row),
  stamps: ['index'],
  ofCluster: true,
}

const bootstrapRow = z.object({ index: count })

/** One row once the bootstrap has been used up. */
export const bootstrapTable: TableDefinition<BootstrapRow> = {
  name: 'acl-bootstrap',
  key: () => onlyKey,
  decode: (row) => bootstrapRow.parse(row),
  stamps: ['index'],
}

const migrationRow = z.object({ tokens: count, batches: count, completeIndex: count, modifyIndex: count })

/** One row once a token has been migrated, or it was seen that there was none to migrate. */
export const migrationTable: TableDefinition<MigrationRow> = {
  name: 'acl-migration',
  key: () => onlyKey,
  decode: (row) => migrationRow.parse(row),
  stamps: ['completeIndex', 'modifyIndex'],
}
